"""What a checklist is made of, and what becomes of it in a run."""

from __future__ import annotations

import datetime
import enum

from doctor.models import Severity
from doctor.records import dataclass


class Verdict(enum.StrEnum):
    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNTESTED = "not tested"
    WAIVED = "waived"


@dataclass(frozen=True, slots=True)
class Item:
    """One line. Exactly one of ``checks``, ``measure`` and ``question`` is given.

    ``checks`` are selectors (codes, areas, slugs), of which findings from ``severity`` on fail.
    ``measure`` is a name of ``doctor.checklists.measures`` with its bounds. ``question`` can only
    be answered by a person. An item that is ``required`` must not stay untested.
    """

    id: str
    title: str
    checks: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    measure: str = ""
    at_least: float | None = None
    at_most: float | None = None
    question: str = ""
    required: bool = False
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Checklist:
    """``place`` is the file that it was read from, for people."""

    name: str
    title: str
    about: str
    items: tuple[Item, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """An item may fail up to and including the day ``until``."""

    checklist: str
    item: str
    reason: str
    until: datetime.date
    place: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's answer to an item's question, valid up to and including ``until`` if given."""

    checklist: str
    item: str
    yes: bool
    by: str = ""
    until: datetime.date | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """An item with its verdict. ``detail`` says why; ``codes`` are those of the findings that
    failed it; ``blocks`` whether the pipeline must stop here."""

    item: Item
    verdict: Verdict
    detail: str = ""
    codes: tuple[str, ...] = ()

    @property
    def blocks(self) -> bool:
        untested = self.verdict is Verdict.UNTESTED and self.item.required
        return self.verdict is Verdict.FAIL or untested


@dataclass(frozen=True, slots=True)
class Judged:
    """``notes`` tell of waivers and answers that do nothing."""

    checklist: Checklist
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        return not any(line.blocks for line in self.lines)
