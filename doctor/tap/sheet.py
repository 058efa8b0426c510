"""What a sitting came to, for markdown, HTML and build servers."""

from __future__ import annotations

import dataclasses
import datetime
import io
from collections.abc import Iterable

from doctor.models import CheckResult, Severity, Status
from doctor.render.base import Look, Sink
from doctor.render.lines import Lines
from doctor.render.sheet import Sheet
from doctor.render.sheetof import sheet_of_answer
from doctor.secrets import Redactor
from doctor.tap.outcome import Outcome, figures_of
from doctor.tap.told import tell_course, tell_end
from doctor.text import _
from doctor.untrusted import visible

# A check looks at each listener's requests; what tells most of it comes first.
_TELLING = (
    Status.FINDINGS,
    Status.CRASHED,
    Status.TIMEOUT,
    Status.PASS,
    Status.UNKNOWN,
    Status.SKIPPED,
)


def sheet_of_tap(outcome: Outcome, threshold: Severity, look: Look, redactor: Redactor) -> Sheet:
    """The course of the requests as text in columns, the findings, a case for each check."""
    told = io.StringIO()
    lines = Lines(Sink(told, redactor), look)
    tell_course(lines, outcome)
    tell_end(lines, outcome)
    sheet = sheet_of_answer(
        "tap",
        _subject(outcome),
        outcome.findings,
        each_once(outcome.checks),
        told.getvalue(),
        threshold,
        outcome.notes,
    )
    (section,) = sheet.sections
    began = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=outcome.seconds)
    return dataclasses.replace(
        sheet,
        sections=(dataclasses.replace(section, well=section.well and _answered(outcome)),),
        started_at=began.isoformat(timespec="seconds"),
        duration_ms=round(outcome.seconds * 1000),
    )


def each_once(results: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """One result for each check: of several listeners' the one that tells most, with the time of
    all."""
    kept: dict[str, CheckResult] = {}
    for result in results:
        known = kept.get(result.code)
        if known is None:
            kept[result.code] = result
            continue
        best = min(known, result, key=lambda one: _TELLING.index(one.status))
        kept[result.code] = dataclasses.replace(
            best, duration_ms=known.duration_ms + result.duration_ms
        )
    return tuple(kept.values())


def _subject(outcome: Outcome) -> str:
    """What was run, as its user typed it; without a command the program that was meant."""
    if outcome.command:
        return visible(" ".join(outcome.command), 80)
    return outcome.client or _("Requests through the tap")


def _answered(outcome: Outcome) -> bool:
    """Whether requests came, and what failed was asked again with success."""
    figures = figures_of(outcome.records)
    return bool(outcome.records) and not figures.given_up and figures.failed <= figures.repeated
