"""The causes of a log, each once: what changes, where, how often."""

from __future__ import annotations

from dataclasses import dataclass, field

from doctor.patterns import Pattern
from doctor.prefix.kinds import Kind
from doctor.prefix.spots import Spot

# In characters.
_LABEL = 24
_WORD = Pattern(r"[A-Za-z0-9_-]+")


@dataclass(slots=True)
class Cause:
    """``path`` is where it stands in the request ("messages[0].content"), ``offset`` at which
    character, ``label`` the text before it. ``requests`` have it, ``distinct`` are its values (up
    to 100,000). ``lost`` is in blocks."""

    number: int
    kind: Kind
    path: str
    offset: int
    label: str
    examples: tuple[str, str]
    requests: int = 0
    lost: int = 0
    values: set[int] = field(default_factory=set)

    @property
    def distinct(self) -> int:
        return len(self.values)


class Causes:
    """Numbers causes as they are met. The same change in several lineages is one cause."""

    def __init__(self) -> None:
        self.all: list[Cause] = []
        self._known: dict[tuple[str, str, str], Cause] = {}

    def forget_counts(self) -> None:
        """Keep the causes, but not how often they were met."""
        for cause in self.all:
            cause.requests = cause.lost = 0
            cause.values.clear()

    def of_spot(self, path: str, spot: Spot) -> Cause:
        """The cause that a spot of a lineage's text is."""
        if spot.cause is not None:
            return self.all[spot.cause]
        cause = self.of(spot.kind, path, _label(spot.before), spot.offset, spot.examples)
        cause.values |= spot.values
        spot.values = cause.values
        spot.cause = cause.number
        return cause

    def of(
        self, kind: Kind, path: str, label: str, offset: int, examples: tuple[str, str]
    ) -> Cause:
        """The cause with this kind, path and label; a new one where there is none."""
        key = (kind.code + kind.name, path, label)
        known = self._known.get(key)
        if known is None:
            known = Cause(len(self.all), kind, path, offset, label, examples)
            self.all.append(known)
            self._known[key] = known
        return known


def _label(before: str) -> str:
    """The end of the line before a spot, from the beginning of a word on: half of a key is not
    known for one."""
    line = before.rpartition("\n")[2] or _heading(before)
    label = line[-_LABEL:]
    if len(line) > _LABEL and _WORD.match(line[-_LABEL - 1]) and (part := _WORD.match(label)):
        return label[part.end() :]
    return label


def _heading(before: str) -> str:
    """The last line, where it is one that says what stands below it."""
    line = before.rstrip("\n").rpartition("\n")[2].rstrip()
    return f"{line} " if line.endswith((":", "：", ">")) or line.startswith("#") else ""
