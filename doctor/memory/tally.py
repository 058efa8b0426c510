"""Parameters counted by kind and by how they are spread over ranks."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable

from doctor.records import dataclass


class Part(enum.StrEnum):
    """What a parameter belongs to; quantised checkpoints treat these differently."""

    EMBEDDING = "embedding"
    HEAD = "head"
    LINEAR = "linear"
    EXPERT = "expert"
    REST = "rest"  # norms, biases, routers, states: never quantised


@dataclass(frozen=True, slots=True)
class Entry:
    """``count`` parameters; ``copies`` True where every rank of a tensor-parallel group has all;
    ``pieces`` is into how many they can be cut at most (KV heads), 0 for any number.
    ``layer`` is the decoder layer, -1 the embedding's side, -2 the head's."""

    part: Part
    count: int
    layer: int
    copies: bool = False
    pieces: int = 0


BEFORE, AFTER = -1, -2


class Tally:
    """Collects entries of one model."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def add(
        self, part: Part, count: int, layer: int, copies: bool = False, pieces: int = 0
    ) -> None:
        if count > 0:
            self.entries.append(Entry(part, count, layer, copies, pieces))

    @property
    def total(self) -> int:
        return sum(entry.count for entry in self.entries)

    def by_part(self) -> dict[Part, int]:
        sums: defaultdict[Part, int] = defaultdict(int)
        for entry in self.entries:
            sums[entry.part] += entry.count
        return dict(sums)

    def on_rank(self, tp: int, dp: int, stage: range, first: bool, last: bool) -> dict[Part, float]:
        """Parameters of one rank of a pipeline stage, by part. Experts are spread over the
        data-parallel ranks as well."""
        sums: defaultdict[Part, float] = defaultdict(float)
        for entry in self._of(stage, first, last):
            ranks = tp * dp if entry.part is Part.EXPERT else tp
            if entry.pieces:
                ranks = min(ranks, entry.pieces)
            sums[entry.part] += entry.count if entry.copies else entry.count / ranks
        return dict(sums)

    def _of(self, stage: range, first: bool, last: bool) -> Iterable[Entry]:
        for entry in self.entries:
            before = entry.layer == BEFORE and first
            if before or entry.layer in stage or (entry.layer == AFTER and last):
                yield entry
