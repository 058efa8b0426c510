"""The line as it should be: the findings' edits written into the text, until none is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from doctor.launch.edits import Edit
from doctor.launch.layout import NotWritable, applied, quoted, spans_of
from doctor.launch.model import Launch, Span
from doctor.launch.reading.found import NothingFound
from doctor.models import Finding
from doctor.records import dataclass

_ROUNDS = 6

Read = Callable[[str], "tuple[Launch, tuple[str, ...]]"]
Judge = Callable[[Launch], "tuple[Finding, ...]"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """``text`` is the whole source with the edits in it, or, where they could not be written into
    it (``in_place`` False), the command alone. ``edits`` are what was done, in order; ``left`` are
    findings of the corrected line that no edit mends."""

    text: str
    argv: tuple[str, ...]
    edits: tuple[Edit, ...]
    in_place: bool
    left: tuple[Finding, ...]


def correct(
    launch: Launch,
    kinds: tuple[str, ...],
    findings: Sequence[Finding],
    read: Read,
    alone: Callable[[str], Launch],
    judge: Judge,
) -> Corrected:
    """``read`` reads a changed text again, ``alone`` the command on a line of its own; ``judge``
    runs the checks on what was read."""
    done: list[Edit] = []
    left = tuple(findings)
    for _round in range(_ROUNDS):
        edits = _edits(left)
        if not edits:
            return Corrected(launch.text, _argv(launch), tuple(done), True, left)
        try:
            spans = _all_spans(launch, kinds, edits)
        except NotWritable:
            return _beside(launch, left, done, alone, judge)
        text = applied(launch.text, spans)
        if text == launch.text:
            return Corrected(launch.text, _argv(launch), tuple(done), True, left)
        try:
            again = read(text)
        except (NothingFound, ValueError, IndexError):
            return _beside(launch, left, done, alone, judge)
        launch, kinds = again
        done += edits
        left = judge(launch)
    return Corrected(launch.text, _argv(launch), tuple(done), True, left)


def _argv(launch: Launch) -> tuple[str, ...]:
    return tuple(word.text for word in launch.words if word.group >= 0 or word.start >= 0)


def _edits(findings: Sequence[Finding]) -> list[Edit]:
    """Those that do not get in one another's way; the rest waits for the next round."""
    kept: list[Edit] = []
    taken: set[int] = set()
    for finding in findings:
        words = {index for edit in finding.edits for index in range(edit.first, edit.last + 1)}
        if not finding.edits or words & taken:
            continue
        taken |= words
        kept += [_coded(edit, finding.code) for edit in finding.edits]
    return kept


def _coded(edit: Edit, code: str) -> Edit:
    from dataclasses import replace

    return replace(edit, code=code)


def _all_spans(launch: Launch, kinds: Sequence[str], edits: Sequence[Edit]) -> list[Span]:
    spans: list[Span] = []
    for edit in edits:
        spans += spans_of(launch.text, launch.words, kinds, edit)
    return spans


def _beside(
    launch: Launch,
    findings: Sequence[Finding],
    done: list[Edit],
    alone: Callable[[str], Launch],
    judge: Judge,
) -> Corrected:
    """The command on a line of its own, corrected, where the text itself cannot be edited."""
    words = [word.text for word in launch.words]
    left = tuple(findings)
    for _round in range(_ROUNDS):
        edits = [edit for edit in _edits(left) if edit.first >= 0]
        if not edits:
            break
        words = edited(words, edits)
        done += edits
        text = " ".join(quoted("shell", word) if word else "''" for word in words)
        try:
            launch = alone(text)
        except (NothingFound, ValueError):
            break
        words = [word.text for word in launch.words]
        left = judge(launch)
    text = " ".join(quoted("shell", word) if word else "''" for word in words)
    return Corrected(text, tuple(words), tuple(done), False, left)


def edited(words: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """The words after ``edits``, which do not overlap."""
    out = list(words)
    for edit in sorted(edits, key=lambda e: (e.first, e.last), reverse=True):
        out[edit.first : edit.last + 1] = edit.words
    return out


__all__ = ["Corrected", "correct", "edited"]
