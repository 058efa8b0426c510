"""A verdict for every line of a checklist, from the report of a run and the answers of people."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

from doctor.checklists.measures import MEASURES
from doctor.checklists.model import Checklist, Item, Judged, Line, Reply, Verdict, Waiver
from doctor.checklists.read import codes_of
from doctor.models import CheckResult, Finding, Report, Status, TargetReport
from doctor.registry import Registry
from doctor.text import Text, _, joined

_TOLD = 3


def judge(
    checklist: Checklist,
    report: Report,
    known: Registry,
    replies: Sequence[Reply],
    waivers: Sequence[Waiver],
    today: datetime.date,
) -> Judged:
    """Raises ``ConfigError`` where an item names a check that does not exist."""
    lines: list[Line] = []
    notes: list[str] = []
    for item in checklist.items:
        line = _judged(item, checklist, report, known, replies, today)
        waiver = next((w for w in waivers if _is_for(w, checklist, item)), None)
        if waiver is not None:
            line, note = _waived(line, waiver, today)
            notes += [note] if note is not None else []
        lines.append(line)
    ids = {item.id for item in checklist.items}
    told_of: tuple[Waiver | Reply, ...] = (*waivers, *replies)
    for told in told_of:
        if told.checklist == checklist.name and told.item not in ids:
            text = _(
                "{place}: '{list}' has no item '{item}'",
                place=told.place,
                list=checklist.name,
                item=told.item,
            )
            notes.append(text)
    return Judged(checklist, tuple(lines), tuple(notes))


def _judged(
    item: Item,
    checklist: Checklist,
    report: Report,
    known: Registry,
    replies: Sequence[Reply],
    today: datetime.date,
) -> Line:
    if item.question:
        reply = next((r for r in replies if _is_for(r, checklist, item)), None)
        return _answered(item, reply, today)
    if item.measure:
        return _measured(item, report.targets)
    return _checked(item, report, codes_of(item, known, checklist.place))


def _is_for(told: Waiver | Reply, checklist: Checklist, item: Item) -> bool:
    return told.checklist == checklist.name and told.item == item.id


def _waived(line: Line, waiver: Waiver, today: datetime.date) -> tuple[Line, Text | None]:
    day = waiver.until.isoformat()
    if line.verdict is Verdict.PASS:
        text = _(
            "{place}: '{item}' passes without its waiver", place=waiver.place, item=line.item.id
        )
        return line, text
    if waiver.until < today:
        text = _(
            "{place}: the waiver of '{item}' ended on {day}",
            place=waiver.place,
            item=line.item.id,
            day=day,
        )
        return line, text
    detail = _("until {day}: {reason}", day=day, reason=waiver.reason)
    if line.detail:
        detail = _("{waived} ({detail})", waived=detail, detail=line.detail)
    return Line(line.item, Verdict.WAIVED, detail, line.codes), None


# ------------------------------------------------------------------ questions


def _answered(item: Item, reply: Reply | None, today: datetime.date) -> Line:
    if reply is None:
        text = _("only a person can say: {question}", question=item.question)
        return Line(item, Verdict.UNTESTED, text)
    if reply.until is not None and reply.until < today:
        text = _(
            "the answer was good until {day}: {question}",
            day=reply.until.isoformat(),
            question=item.question,
        )
        return Line(item, Verdict.UNTESTED, text)
    by = _(", says {name}", name=reply.by) if reply.by else ""
    if reply.yes:
        return Line(item, Verdict.PASS, _("yes{by}", by=by))
    return Line(item, Verdict.FAIL, _("no{by}: {question}", by=by, question=item.question))


# ------------------------------------------------------------------ figures


def _measured(item: Item, targets: Sequence[TargetReport]) -> Line:
    """The worst of all targets counts."""
    lines = [_measured_one(item, target, len(targets) > 1) for target in targets]
    return min(
        lines, key=lambda line: (Verdict.FAIL, Verdict.UNTESTED, Verdict.PASS).index(line.verdict)
    )


def _measured_one(item: Item, target: TargetReport, several: bool) -> Line:
    measure = MEASURES[item.measure]
    value, reason = measure.of(target)
    name = _("{target}: ", target=target.id) if several else ""
    if value is None:
        return Line(item, Verdict.UNTESTED, _("{name}{text}", name=name, text=reason))
    if measure.truth:
        verdict = Verdict.PASS if value else Verdict.FAIL
        return Line(item, verdict, _("{name}{text}", name=name, text=reason))
    low = item.at_least is not None and value < item.at_least
    high = item.at_most is not None and value > item.at_most
    told = _("{name}{value} {unit}", name=name, value=f"{value:,g}", unit=measure.unit)
    if not low and not high:
        return Line(item, Verdict.PASS, told)
    bound = (
        _("at least {n} is asked", n=f"{item.at_least:,g}")
        if low
        else _("at most {n} is asked", n=f"{item.at_most:,g}")
    )
    return Line(item, Verdict.FAIL, joined(told, bound, blank=", "))


# ------------------------------------------------------------------ checks


def _checked(item: Item, report: Report, codes: frozenset[str]) -> Line:
    found = [
        (finding, target)
        for target in report.targets
        for finding in target.findings
        if finding.code in codes
    ]
    causes = [f for f, _target in found if f.explained_by is None and f.severity >= item.severity]
    if causes:
        told = tuple(dict.fromkeys(finding.code for finding in causes))
        return Line(item, Verdict.FAIL, _titles(causes), told)
    results = [r for target in report.targets for r in target.checks if r.code in codes]
    followed = [finding for finding, _target in found if finding.explained_by is not None]
    if followed:
        text = _(
            "{code} follows from {cause}", code=followed[0].code, cause=followed[0].explained_by
        )
        return Line(item, Verdict.UNTESTED, text)
    return _unfound(item, results)


def _titles(findings: Iterable[Finding]) -> Text:
    texts = list(dict.fromkeys((finding.code, finding.title) for finding in findings))
    shown = [_("{code} {title}", code=code, title=title) for code, title in texts[:_TOLD]]
    if len(texts) > _TOLD:
        shown.append(_("and {n} more", n=len(texts) - _TOLD))
    return joined(*shown, blank="; ")


def _unfound(item: Item, results: Sequence[CheckResult]) -> Line:
    open_ended = [
        r for r in results if r.status in (Status.UNKNOWN, Status.TIMEOUT, Status.CRASHED)
    ]
    passed = sum(result.status in (Status.PASS, Status.FINDINGS) for result in results)
    if open_ended:
        first = open_ended[0]
        text = _(
            "{n} of {all} checks without a result; {code}: {reason}",
            n=len(open_ended),
            all=len(results),
            code=first.code,
            reason=first.reason or first.status.value,
        )
        return Line(item, Verdict.UNTESTED, text)
    if not passed:
        reason = next((result.reason for result in results if result.reason), None)
        text = _("nothing here to test: {reason}", reason=reason or _("no such check ran"))
        return Line(item, Verdict.UNTESTED, text)
    return Line(item, Verdict.PASS, _("{n} checks", n=passed))
