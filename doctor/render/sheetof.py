"""Sheets of a run's report, and of commands whose answer is no run against a server."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

from doctor.models import CheckResult, Finding, Report, Severity, TargetReport
from doctor.render import words
from doctor.render.document import shown
from doctor.render.sheet import Section, Sheet, Value
from doctor.render.sheetcases import cases_of
from doctor.text import _, joined

_SETTINGS = ("base_url", "key", "model", "auth", "max_tokens", "proxy", "ca_bundle")


def sheet_of_report(report: Report, threshold: Severity) -> Sheet:
    counts = joined(*words.counts(report), blank=", ")
    return Sheet(
        command="check",
        title=_("kvdoctor check"),
        started_at=report.started_at,
        duration_ms=report.duration_ms,
        sections=tuple(section_of_target(target, report, threshold) for target in report.targets),
        footer=(counts, words.spent(report.spending), words.milliseconds(report.duration_ms)),
        notes=report.notes,
        threshold=threshold,
    )


def section_of_target(target: TargetReport, report: Report, threshold: Severity) -> Section:
    before = target.diagnosis.before
    proof = words.proof(target, report.spending)
    lead = [words.failure(before) if before is not None else target.diagnosis.summary]
    if proof is None and before is not None and not before.answered:
        lead.append(target.diagnosis.summary)
    ignored = words.ignored(target)
    if ignored is not None:
        lead.append(ignored)
    if not target.findings:
        lead += words.figures(target)
    return Section(
        id=target.id,
        title=words.headline(target),
        lead=tuple(lead),
        proof=proof or "",
        well=before is not None and before.answered and not _fails(target.findings, threshold),
        path=target.path,
        settings=tuple(_settings(target)),
        findings=target.findings,
        roots=target.diagnosis.root_causes,
        cases=cases_of(target.checks, target.findings, threshold),
        untested=target.not_tested,
    )


def sheet_of_answer(
    command: str,
    subject: str,
    findings: Sequence[Finding],
    results: Sequence[CheckResult],
    answer: str,
    threshold: Severity,
    notes: Sequence[str] = (),
) -> Sheet:
    """The sheet of a command that judges a line, a plan, a log or a text. ``answer`` is what it
    tells people in columns."""
    name = f"kvdoctor {command}"
    section = Section(
        id=command,
        title=subject,
        well=not _fails(findings, threshold),
        findings=tuple(findings),
        cases=cases_of(results, findings, threshold),
        answer=answer,
    )
    return Sheet(
        command=command,
        title=name,
        started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        duration_ms=sum(result.duration_ms for result in results),
        sections=(section,),
        notes=tuple(notes),
        threshold=threshold,
    )


def _fails(findings: Iterable[Finding], threshold: Severity) -> bool:
    return any(f.severity >= threshold and f.explained_by is None for f in findings)


def _settings(target: TargetReport) -> Iterable[Value]:
    for name in _SETTINGS:
        setting = getattr(target.connection, name)
        if setting is not None:
            yield Value(name, str(shown(setting.value)), str(setting.origin))
