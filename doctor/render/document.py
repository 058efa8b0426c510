"""The report as data: the one place that knows the keys of ``kvdoctor.report/1``.

Everything here is English and masked; ``schemas/report-1.json`` is its contract.
"""

from __future__ import annotations

from typing import Any

from doctor import __version__
from doctor.connection import Connection, Setting
from doctor.models import (
    Answer,
    CheckResult,
    Diagnosis,
    Finding,
    PathHop,
    Report,
    TargetReport,
    Verdicts,
)
from doctor.secrets import Secret
from doctor.untrusted import harmless, visible

SCHEMA = "kvdoctor.report/1"
_SETTINGS = ("base_url", "key", "model", "auth", "max_tokens", "proxy", "ca_bundle")
# Only some clients have these, so they are left out elsewhere.
_SOMETIMES = ("second_key", "unsent")


def report_document(report: Report) -> dict[str, Any]:
    """``kvdoctor.report/1``; the top-level path and diagnosis are those of the worst target."""
    worst = report.targets[0] if report.targets else None
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "started_at": report.started_at,
        "duration_ms": report.duration_ms,
        "targets": [target_document(target) for target in report.targets],
        "path": [hop_document(hop) for hop in worst.path] if worst else [],
        "diagnosis": diagnosis_document(worst.diagnosis) if worst else None,
        "findings": [finding_document(finding) for finding in report.findings],
        "checks": [check_document(c) for target in report.targets for c in target.checks],
        "requests": {
            "free": report.spending.free,
            "billable": report.spending.billable,
            "tokens": report.spending.tokens,
        },
        "notes": [visible(note) for note in report.notes],
    }


def tool() -> dict[str, str]:
    return {"name": "kvdoctor", "version": __version__}


def target_document(target: TargetReport) -> dict[str, Any]:
    connection = target.connection
    return {
        "id": target.id,
        "label": visible(target.label),
        "kind": target.kind,
        "client": connection.client,
        "protocol": connection.protocol.value,
        "product": target.product,
        "settings": settings_document(connection),
        "path": [hop_document(hop) for hop in target.path],
        "verdicts": verdicts_document(target.verdicts),
        "diagnosis": diagnosis_document(target.diagnosis),
        "measured": {name: visible(value) for name, value in target.facts.items()},
        "not_tested": [visible(text) for text in target.not_tested],
        "ignored": [
            {"code": one.code, "title": visible(one.title), "reason": visible(one.reason)}
            for one in target.ignored
        ],
    }


def settings_document(connection: Connection) -> dict[str, Any]:
    made = {
        name: {} if setting is None else setting_document(setting)
        for name in _SETTINGS
        for setting in [getattr(connection, name)]
    }
    for name in _SOMETIMES:
        setting = getattr(connection, name)
        if setting is not None:
            made[name] = setting_document(setting)
    return made


def setting_document(setting: Setting[Any]) -> dict[str, Any]:
    return {
        "value": shown(setting.value),
        "origin": visible(str(setting.origin)),
        "shadows": [
            {"value": shown(shadowed.value), "origin": visible(str(shadowed.origin))}
            for shadowed in setting.shadows
        ],
    }


def shown(value: object) -> str | int | float:
    """A setting's value as it may be printed."""
    if isinstance(value, Secret):
        return value.described
    return value if isinstance(value, int | float) else visible(str(value))


def hop_document(hop: PathHop) -> dict[str, Any]:
    return {
        "hop": hop.hop.value,
        "status": hop.status.value,
        "detail": visible(hop.detail),
        "ms": hop.ms,
    }


def verdicts_document(verdicts: Verdicts) -> dict[str, Any]:
    return {
        "reachable": verdicts.reachable,
        "authenticated": verdicts.authenticated,
        "authenticated_detail": visible(verdicts.authenticated_detail),
        "model_answers": verdicts.model_answers,
    }


def diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "root_causes": list(diagnosis.root_causes),
        "summary": visible(diagnosis.summary),
        "proved": diagnosis.proved,
        "proof": visible(diagnosis.proof),
        "repair": list(diagnosis.repair),
        "changes": [
            {
                "code": change.code,
                "setting": change.setting.value,
                "title": visible(change.title),
                "value": visible(change.shown),
            }
            for change in diagnosis.changes
        ],
        "before": answer_document(diagnosis.before),
        "after": answer_document(diagnosis.after),
        "tried": [
            {
                "changes": [visible(title) for title in trial.changes],
                "answer": answer_document(trial.answer),
            }
            for trial in diagnosis.tried
        ],
    }


def answer_document(answer: Answer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {
        "status": answer.status,
        "error": None if answer.error is None else visible(answer.error),
        "ms": answer.ms,
        "answered": answer.answered,
        "request": answer.request,
    }


def finding_document(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "slug": finding.slug,
        "severity": finding.severity.word,
        "confidence": finding.confidence.word,
        "target": finding.target,
        "hop": finding.hop.value,
        "title": visible(finding.title),
        "explanation": harmless(finding.explanation, limit=8_000),
        "evidence": [
            {
                "source": visible(evidence.source),
                "location": visible(evidence.location),
                "value": visible(evidence.value),
            }
            for evidence in finding.evidence
        ],
        "fixes": [
            {
                "id": fix.id,
                "title": visible(fix.title),
                "applicability": fix.applicability.value,
                "proved": fix.proved,
                "preview": harmless(fix.preview),
            }
            for fix in finding.fixes
        ],
        "clients": list(finding.clients),
        "explains": list(finding.explains),
        "explained_by": finding.explained_by,
    }


def check_document(result: CheckResult) -> dict[str, Any]:
    return {
        "code": result.code,
        "target": result.target,
        "status": result.status.value,
        "duration_ms": result.duration_ms,
        "reason": None if result.reason is None else visible(result.reason),
    }
