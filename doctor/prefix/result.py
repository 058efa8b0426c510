"""What an analysis of a log comes to."""

from __future__ import annotations

from dataclasses import dataclass, field

from doctor.prefix.causes import Cause
from doctor.prefix.marked import Marks
from doctor.prefix.player import Engine, Totals


@dataclass(slots=True)
class Unread:
    """Lines that hold no prompt: how many, and the place and the reason of the first."""

    lines: int = 0
    first: str = ""


@dataclass(slots=True)
class Analysis:
    """``prompt_tokens`` are estimated from characters unless ``exact``. ``reported`` are (cached,
    prompt) tokens that the log's own answers tell, None where it has none; ``answers`` is how many
    tell it, ``marks`` what they tell of marked prompts. ``blind`` are requests of which only ids
    are known, so that no cause can be named. ``heads`` are hashes by which the lineages of two
    analyses are told apart."""

    requests: int
    prompt_tokens: int
    engine: Engine
    totals: Totals
    causes: list[Cause]
    lineages: int
    unread: Unread
    exact: bool = False
    reported: tuple[int, int] | None = None
    answers: int = 0
    marks: Marks = field(default_factory=Marks)
    blind: int = 0
    heads: frozenset[int] = frozenset()

    @property
    def hit_rate(self) -> float:
        return _rate(self.totals.hits * self.engine.block_size, self.prompt_tokens)

    @property
    def hit_rate_after(self) -> float:
        """Nobody moves what gains nothing by it, so it is never below that of now."""
        hits = max(self.totals.hits, self.totals.hits_after)
        return _rate(hits * self.engine.block_size, self.prompt_tokens)

    @property
    def expected_rate(self) -> float:
        """What those requests would hit whose answers tell what was cached."""
        return _rate(self.totals.told_hits * self.engine.block_size, self.totals.told_tokens)


def _rate(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
