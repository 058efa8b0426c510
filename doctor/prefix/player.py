"""Plays prompts, as sent and as they would be, through two caches, and adds up the losses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from doctor.prefix.blocks import Blocks
from doctor.prefix.cache import PrefixCache


@dataclass(frozen=True, slots=True)
class Engine:
    """``block_size`` in tokens, ``capacity`` in blocks; a hit is a multiple of ``align`` blocks.
    ``per_token`` are characters, 1 where tokens are counted."""

    block_size: int = 16
    capacity: int = 131_072
    align: int = 1
    per_token: int = 4

    @property
    def unit(self) -> int:
        """The length of a block in what prompts are measured in."""
        return self.block_size * self.per_token


# (Cause, block of the better prompt in which it stands), in order.
Places = list[tuple[int, int]]


@dataclass(slots=True)
class Totals:
    """In blocks. ``lost`` is by cause: what it would keep from being shared if it were the only
    one, so that the losses of causes that stand before the same text do not add up. ``told_hits``
    and ``told_tokens`` are those of prompts whose answers told what was cached; ``untold`` are
    prompts that hit and whose answers left it out."""

    prompts: int = 0
    tokens: int = 0
    hits: int = 0
    hits_after: int = 0
    told_hits: int = 0
    told_tokens: int = 0
    untold: int = 0
    lost: dict[int, int] = field(default_factory=lambda: defaultdict(int))


class Player:
    """Both caches and the sums."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._sent = PrefixCache(engine.capacity, engine.align)
        # One cache until the first prompt that would be another: a clean log is played once.
        self._fixed: PrefixCache | None = None
        self.totals = Totals()

    @property
    def missing(self) -> int:
        """Blocks that one of the caches has had room for all the time."""
        fixed = self._fixed or self._sent
        return max(self._sent.missing, fixed.missing)

    def play(
        self,
        length: int,
        sent: Blocks,
        fixed: Blocks | None = None,
        places: Places | None = None,
        *,
        told: bool = False,
        untold: bool = False,
        hit: bool = False,
    ) -> None:
        """Play one prompt of ``length`` tokens. ``fixed`` is None where nothing would change.
        ``told`` says that an answer told what of it was cached, ``untold`` that it left that
        out; ``hit`` that it must have hit, though its text fills no block."""
        size = self.engine.block_size
        totals = self.totals
        if self._fixed is None and fixed is not None:
            self._fixed = self._sent.copy()
        after = hits = self._sent.play(sent, length, size)
        if self._fixed is not None:
            after = self._fixed.play(sent if fixed is None else fixed, length, size)
        totals.prompts += 1
        totals.tokens += length
        totals.hits += hits
        totals.hits_after += after
        if told:
            totals.told_hits += hits
            totals.told_tokens += length
        totals.untold += untold and (hit or hits > 0)
        for cause, place in places or ():
            alone = after - max(place, hits)
            if alone > 0:
                totals.lost[cause] += alone
