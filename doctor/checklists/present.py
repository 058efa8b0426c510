"""A judged checklist for people, and as a sheet for the other formats."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.checklists.model import Judged, Line, Verdict
from doctor.columns import columns, left
from doctor.models import Finding, Report, Severity
from doctor.render.findings import tell_findings
from doctor.render.lines import Lines
from doctor.render.sheet import Case, Outcome, Section, Sheet
from doctor.text import Text, _

_WORDS = {
    Verdict.PASS: _("pass"),
    Verdict.FAIL: _("FAIL"),
    Verdict.UNTESTED: _("not tested"),
    Verdict.WAIVED: _("waived"),
}
_OUTCOMES = {
    Verdict.PASS: Outcome.PASS,
    Verdict.FAIL: Outcome.FAIL,
    Verdict.UNTESTED: Outcome.UNTESTED,
    Verdict.WAIVED: Outcome.WAIVED,
}


def present(out: Lines, judged: Judged, report: Report) -> None:
    """One line per item, then the findings behind those that fail, then the sum."""
    checklist = judged.checklist
    targets = ", ".join(target.label for target in report.targets)
    out.wrap(_("{title}: {targets}", title=checklist.title, targets=targets))
    if checklist.about:
        out.wrap(checklist.about)
    out.line("")
    words = {verdict: out.say(word) for verdict, word in _WORDS.items()}
    width = max(columns(word) for word in words.values())
    for line in judged.lines:
        head = f"{left(words[line.verdict], width)}  {out.say(line.item.title)}"
        if line.blocks and line.verdict is Verdict.UNTESTED:
            head += f" {out.say(_('(required)'))}"
        out.wrap(head, hang=width + 2)
        if line.detail and line.verdict is not Verdict.PASS:
            out.wrap(line.detail, indent=width + 2)
    failed = tuple(findings_behind(judged, report))
    out.line("")
    if failed:
        tell_findings(out, failed)
    out.wrap(verdict(judged))
    asked = [
        line.item.id
        for line in judged.lines
        if line.item.question and line.verdict is Verdict.UNTESTED
    ]
    if asked:
        text = _(
            "To answer: --answer ITEM=yes, or [[answer]] in kvdoctor.toml, for {items}.",
            items=", ".join(asked),
        )
        out.wrap(text)
    for note in (*judged.notes, *report.notes):
        out.wrap(_("Note: {note}", note=note))


def verdict(judged: Judged) -> Text:
    """The whole list in one sentence."""
    number = {v: sum(line.verdict is v for line in judged.lines) for v in Verdict}
    values = {
        "passed": number[Verdict.PASS],
        "failed": number[Verdict.FAIL],
        "untested": number[Verdict.UNTESTED],
        "waived": number[Verdict.WAIVED],
        "required": sum(line.blocks for line in judged.lines) - number[Verdict.FAIL],
    }
    if judged.passes:
        return _(
            "Passes: {passed} passed, {untested} not tested, {waived} waived.",
            **values,
        )
    return _(
        "Does not pass: {failed} failed, {passed} passed, {untested} not tested, of which "
        "{required} are required, {waived} waived.",
        **values,
    )


def findings_behind(judged: Judged, report: Report) -> Iterable[Finding]:
    """The findings for which items fail."""
    codes = {c for line in judged.lines if line.verdict is Verdict.FAIL for c in line.codes}
    for finding in report.findings:
        if finding.code in codes and finding.explained_by is None:
            yield finding


def sheet_of(judged: Judged, report: Report) -> Sheet:
    """One section; its cases are the items."""
    roots = tuple(code for target in report.targets for code in target.diagnosis.root_causes)
    section = Section(
        id=judged.checklist.name,
        title=_(
            "{title}: {targets}",
            title=judged.checklist.title,
            targets=", ".join(target.label for target in report.targets),
        ),
        lead=(verdict(judged), *filter(None, (judged.checklist.about,))),
        well=judged.passes,
        findings=tuple(findings_behind(judged, report)),
        roots=roots,
        cases=tuple(_case(line, judged) for line in judged.lines),
        listed=True,
    )
    return Sheet(
        command="checklist",
        title=_("kvdoctor checklist"),
        started_at=report.started_at,
        duration_ms=report.duration_ms,
        sections=(section,),
        notes=(*judged.notes, *report.notes),
        threshold=Severity.INFO,
    )


def _case(line: Line, judged: Judged) -> Case:
    outcome = Outcome.FAIL if line.blocks else _OUTCOMES[line.verdict]
    detail = line.detail
    if line.blocks and line.verdict is Verdict.UNTESTED:
        detail = _("required, and not tested: {detail}", detail=line.detail)
    return Case(line.item.id, judged.checklist.name, line.item.title, outcome, 0, detail)
