"""Where more requests at once no longer bring more tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from doctor.bench.capacity import capacity_of
from doctor.bench.figures import Level
from doctor.bench.limits import Limit, limit_of
from doctor.records import dataclass

__all__ = ["Knee", "Limit", "knee_of", "saturated"]

_NOTHING: Mapping[str, str] = MappingProxyType({})

# A load that reaches this share of the most that was reached is as good as the largest one.
_REACHED = 0.9
# By less than this a doubled load brought no more.
_GAIN = 0.08
_MANY_FAIL = 0.1


@dataclass(frozen=True, slots=True)
class Knee:
    """``load`` is the name of the smallest one that brings nearly the most; ``reached`` says that a
    larger one brought no more. ``limit`` is None before that."""

    load: str
    reached: bool
    output_rate: float
    limit: Limit | None


def saturated(levels: Sequence[Level]) -> bool:
    """Whether a larger load need not be tried: the last two brought nothing, or many fail."""
    if not levels:
        return False
    if levels[-1].failed > _MANY_FAIL:
        return True
    if len(levels) < 3:
        return False
    third, second, last = levels[-3:]
    most = max(third.output_rate, 1e-9)
    return second.output_rate < most * (1 + _GAIN) and last.output_rate < most * (1 + _GAIN)


def knee_of(levels: Sequence[Level], setup: Mapping[str, str] = _NOTHING) -> Knee | None:
    """None where there are fewer than two loads with answers. ``setup`` is that of the run, which
    may tell how much the engine is allowed to do at once."""
    known = sorted((level for level in levels if level.answers), key=lambda level: level.load.size)
    if len(known) < 2:
        return None
    most = max(level.output_rate for level in known)
    place = next(n for n, level in enumerate(known) if level.output_rate >= most * _REACHED)
    reached = place < len(known) - 1 or known[-1].failed > _MANY_FAIL
    limit = limit_of(known[-1], known[0], capacity_of(setup)) if reached else None
    return Knee(known[place].load.name, reached, known[place].output_rate, limit)
