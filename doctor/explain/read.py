"""Reads a text line by line and collects the symptoms in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from doctor.explain.model import Cause, Symptom
from doctor.explain.texts import dictionary
from doctor.text import Text
from doctor.untrusted import visible

# A log line longer than this is a body that was printed; its beginning tells what it is.
_LINE_LIMIT = 8_000
_KEPT = 500


@dataclass(frozen=True, slots=True)
class Seen:
    """One symptom where it first stands: ``line`` counts from 1, ``times`` how often in all."""

    text: str
    line: int
    meaning: Text
    causes: tuple[Cause, ...]
    generic: bool
    times: int = 1


def symptoms_in(lines: Iterable[str]) -> tuple[Seen, ...]:
    """The symptoms in the order of their first lines.

    General texts are dropped where a telling one stands in the same log: "Connection error." says
    nothing beside the exception that caused it.
    """
    entries = dictionary()
    found: dict[tuple[int, tuple[Cause, ...]], Seen] = {}
    for number, line in enumerate(lines, 1):
        for index, causes in _in_line(line[:_LINE_LIMIT], entries):
            entry = entries[index]
            known = found.get((index, causes))
            if known is None:
                text = visible(line.strip(), _KEPT)
                seen = Seen(text, number, entry.meaning, causes, entry.generic)
            else:
                seen = Seen(
                    known.text,
                    known.line,
                    known.meaning,
                    causes,
                    known.generic,
                    known.times + 1,
                )
            found[index, causes] = seen
    telling = [seen for seen in found.values() if not seen.generic]
    return tuple(telling or found.values())


def _in_line(line: str, entries: tuple[Symptom, ...]) -> list[tuple[int, tuple[Cause, ...]]]:
    """Every telling entry that matches; a general one only where none does, and just the first."""
    telling: list[tuple[int, tuple[Cause, ...]]] = []
    general: tuple[int, tuple[Cause, ...]] | None = None
    for index, entry in enumerate(entries):
        if entry.generic and (telling or general):
            continue
        match = entry.pattern.search(line)
        if match is None:
            continue
        if entry.generic:
            general = (index, entry.of(match))
        else:
            telling.append((index, entry.of(match)))
    return telling or ([general] if general else [])
