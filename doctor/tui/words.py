"""The sentences of the diagnose screen: banner, status, totals."""

from __future__ import annotations

from doctor.models import (
    Answer,
    CheckResult,
    Diagnosis,
    HopStatus,
    Severity,
    Status,
)
from doctor.render.words import milliseconds
from doctor.text import Text, _, listed
from doctor.tui.runview import RunView, TargetView
from doctor.tui.saying import said
from doctor.tui.signs import HOPS, RUNNING, SEVERITIES, STATUSES, WAITING, Sign

_NUMBERS = {
    1: _("one change"),
    2: _("two changes"),
    3: _("three changes"),
    4: _("four changes"),
    5: _("five changes"),
}


def outcome(answer: Answer) -> str:
    """``401``, or the error in the place of an answer."""
    if answer.status is not None and (answer.answered or answer.status >= 400):
        return str(answer.status)
    if answer.status is not None:
        return _("{status} without an answer", status=answer.status)
    return answer.error or _("no answer")


def proof_of(diagnosis: Diagnosis) -> Text | None:
    """``proved: 401 → 200 in 412 ms``; None where nothing was."""
    after, before = diagnosis.after, diagnosis.before
    if not diagnosis.proved or after is None or before is None:
        return None
    return _(
        "proved: {before} → {after} in {ms}",
        before=_short(before),
        after=after.status,
        ms=milliseconds(after.ms),
    )


def _short(answer: Answer) -> str:
    text = said(outcome(answer))
    return text[:1].lower() + text[1:]


def changes(count: int) -> Text:
    return _NUMBERS.get(count) or _("{n} changes", n=count)


def repair(target: TargetView) -> str:
    """The sentence of the banner for a target that was examined."""
    assert target.report is not None
    diagnosis = target.report.diagnosis
    before, after = diagnosis.before, diagnosis.after
    if before is None:
        return _("No request was made, so nothing is proved. {summary}", summary=diagnosis.summary)
    if before.answered:
        return _answered(target, before)
    if diagnosis.proved and after is not None:
        return _(
            "{changes}, proved: {before} → {after} with an answer in {ms}",
            changes=changes(len(diagnosis.changes)),
            before=_short(before),
            after=after.status,
            ms=milliseconds(after.ms),
        )
    if not diagnosis.root_causes:
        return diagnosis.summary
    tried = len(diagnosis.tried)
    if not tried:
        return _("The request fails: {error}. No repair was found.", error=_short(before))
    return _(
        "The request fails: {error}. {n} repairs were tried, none makes it answer.",
        error=_short(before),
        n=tried,
    )


def _answered(target: TargetView, before: Answer) -> Text:
    open_findings = [f for f in target.findings if f.explained_by is None]
    status, ms = before.status, milliseconds(before.ms)
    if not open_findings:
        return _("The request answers ({status}, {ms}).", status=status, ms=ms)
    if len(open_findings) == 1:
        return _(
            "The request answers ({status}, {ms}). One thing ought to be looked at.",
            status=status,
            ms=ms,
        )
    return _(
        "The request answers ({status}, {ms}). {n} things ought to be looked at.",
        status=status,
        ms=ms,
        n=len(open_findings),
    )


def trying(target: TargetView) -> Text:
    """The sentence of the banner while the target is examined."""
    if not target.trials:
        if target.first_broken is not None:
            return _("Looking for a repair…")
        return _("Examining…")
    trial = target.trials[-1]
    return _(
        "Trying: {changes}: {outcome}",
        changes=listed(trial.changes, "; "),
        outcome=_short(trial.answer),
    )


def status(view: RunView) -> Text:
    """The run in one phrase: how far it is and what it waits for, or what it came to."""
    if view.active:
        one = view.oldest
        progress = {"done": view.ended, "all": view.expected}
        if one is None:
            return _("{done} of {all} checks", **progress)
        return _(
            "{done} of {all} checks · {code} {slug} {ms}",
            **progress,
            code=one.code,
            slug=one.slug,
            ms=milliseconds(view.since(one)),
        )
    if view.report is None:
        return _("not run")
    number = sum(len(target.checks) for target in view.report.targets)
    return _("{n} checks · {ms}", n=number, ms=milliseconds(view.report.duration_ms))


def state_of(target: TargetView) -> tuple[Sign, Text]:
    """A target in a sign and a few words."""
    if target.examining:
        return RUNNING, RUNNING.word
    if target.report is None:
        return WAITING, _("not run")
    roots = [f for f in target.findings if f.explained_by is None]
    faults = sum(f.severity >= Severity.ERROR for f in roots)
    if target.answers is None:
        return HOPS[HopStatus.UNKNOWN], _("not asked")
    if target.answers:
        if not roots:
            return HOPS[HopStatus.OK], _("answers")
        return SEVERITIES[Severity.WARNING], _("answers, {n} to look at", n=len(roots))
    if target.report.diagnosis.proved:
        return HOPS[HopStatus.BROKEN], _("fails; a repair is proved")
    if faults == 1:
        return HOPS[HopStatus.BROKEN], _("fails, 1 fault")
    return HOPS[HopStatus.BROKEN], _("fails, {n} faults", n=faults)


def tally(target: TargetView) -> list[Text]:
    """How the checks of a target ended, one text per status that occurs."""
    count = {s: sum(r.status is s for r in target.results.values()) for s in Status}
    texts = {
        Status.PASS: _("{n} passed", n=count[Status.PASS]),
        Status.FINDINGS: _("{n} found something", n=count[Status.FINDINGS]),
        Status.SKIPPED: _("{n} not applicable", n=count[Status.SKIPPED]),
        Status.UNKNOWN: _("{n} without evidence", n=count[Status.UNKNOWN]),
        Status.TIMEOUT: _("{n} timed out", n=count[Status.TIMEOUT]),
        Status.CRASHED: _("{n} crashed", n=count[Status.CRASHED]),
    }
    return [texts[s] for s in Status if count[s]]


def result_of(code: str, result: CheckResult | None) -> Text:
    """How a single check ended, in one sentence."""
    if result is None:
        return _("{code} was not run.", code=code)
    word = STATUSES[result.status].word
    if result.reason is None:
        return _("{code}: {word}.", code=code, word=word)
    return _("{code}: {word}: {reason}.", code=code, word=word, reason=result.reason)
