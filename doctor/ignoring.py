"""Leaving out what the user decided to leave out, and telling of decisions that do nothing."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Sequence

from doctor.models import Diagnosis, Finding, Ignored
from doctor.records import dataclass
from doctor.settings.ignore import IgnoreRule
from doctor.text import Text, _


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of a target's findings, and what was left out."""

    diagnosis: Diagnosis
    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...]


def leave_out(
    diagnosis: Diagnosis,
    findings: Iterable[Finding],
    rules: Sequence[IgnoreRule],
    target: str,
    today: datetime.date,
) -> Kept:
    """Apply ``rules``. A consequence of something left out stands for itself again."""
    kept: list[Finding] = []
    ignored: list[Ignored] = []
    for finding in findings:
        rule = next((r for r in rules if r.covers(finding.code, target, today)), None)
        if rule is None:
            kept.append(finding)
        else:
            ignored.append(Ignored(finding.code, finding.title, rule.reason))
    gone = {one.code for one in ignored}
    unfolded = tuple(
        dataclasses.replace(finding, explained_by=None) if finding.explained_by in gone else finding
        for finding in kept
    )
    roots = tuple(code for code in diagnosis.root_causes if code not in gone)
    return Kept(dataclasses.replace(diagnosis, root_causes=roots), unfolded, tuple(ignored))


def idle(
    rules: Iterable[IgnoreRule], ignored: Iterable[Ignored], today: datetime.date
) -> tuple[Text, ...]:
    """A note for each rule that has expired, or that left out nothing in this run."""
    codes = {one.code.upper() for one in ignored}
    notes: list[Text] = []
    for rule in rules:
        place = f"{rule.path}:{rule.line}" if rule.line else rule.path
        if rule.expired(today):
            text = _("{place}: the ignore of {code} ended on {day}", place=place, code=rule.code,
                     day=str(rule.until))  # fmt: skip
            notes.append(text)
        elif rule.code.upper() not in codes:
            text = _("{place}: the ignore of {code} left out nothing", place=place, code=rule.code)
            notes.append(text)
    return tuple(notes)
