"""Percentiles, and how sure they are: the bootstrap, with the standard library alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from doctor.records import dataclass

Group = Sequence[float]
Statistic = Callable[[Group], float]

_CONFIDENCE = 0.95
_TIMES = 400
# Of one resample: more do not make the interval narrower than people can read.
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, at 95 %."""

    low: float
    high: float


def quantile(values: Group, share: float) -> float:
    """The value below which ``share`` (0 to 1) of ``values`` lie, interpolated between neighbours
    (numpy's default). Raises ``ValueError`` for none."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("a quantile of nothing")
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return low if low == high else low + (high - low) * (place - below)


def mean(values: Group) -> float:
    """Raises ``ValueError`` for none."""
    if not values:
        raise ValueError("a mean of nothing")
    return math.fsum(values) / len(values)


def enough_for(share: float, count: int) -> bool:
    """Whether ``count`` values can say how sure the quantile is: at least two lie beyond it."""
    return count * min(share, 1 - share) >= 2


def interval(groups: Sequence[Group], statistic: Statistic, seed: int = 0) -> Interval | None:
    """Of ``statistic`` over all values. ``groups`` are repeats: those are drawn first, and values
    within them, so that what differs from repeat to repeat counts. None for under five values."""
    kept = [group for group in groups if group]
    if sum(map(len, kept)) < 5:
        return None
    whole = statistic([value for group in kept for value in group])
    rng = random.Random(seed)  # noqa: S311 - no secret
    drawn = _resampled(kept, statistic, rng)
    return _of(drawn, whole, len(kept))


def ratio_interval(
    before: Sequence[Group], after: Sequence[Group], statistic: Statistic, seed: int = 0
) -> Interval | None:
    """Of the change of ``statistic`` from ``before`` to ``after``, as a share: 0.1 is 10 % more.
    None where one of them has under five values, or is zero."""
    old = [group for group in before if group]
    new = [group for group in after if group]
    if min(sum(map(len, old)), sum(map(len, new))) < 5:
        return None
    first = statistic([value for group in old for value in group])
    second = statistic([value for group in new for value in group])
    rng = random.Random(seed)  # noqa: S311 - no secret
    olds = _resampled(old, statistic, rng)
    news = _resampled(new, statistic, rng)
    if first <= 0 or any(value <= 0 for value in olds):
        return None
    changes = [one / other - 1 for one, other in zip(news, olds, strict=True)]
    return _of(changes, second / first - 1, min(len(old), len(new)))


def _resampled(groups: Sequence[Group], statistic: Statistic, rng: random.Random) -> list[float]:
    found = []
    for _time in range(_TIMES):
        chosen = rng.choices(groups, k=len(groups)) if len(groups) > 1 else groups
        values: list[float] = []
        for group in chosen:
            values += rng.choices(group, k=min(len(group), _MOST // len(groups) + 1))
        found.append(statistic(values))
    return found


def _of(drawn: Sequence[float], whole: float, groups: int) -> Interval:
    tail = (1 - _CONFIDENCE) / 2
    low, high = quantile(drawn, tail), quantile(drawn, 1 - tail)
    # Few groups drawn from themselves vary less than groups do.
    wider = math.sqrt(groups / (groups - 1)) if groups > 1 else 1.0
    return Interval(
        min(whole, whole + (low - whole) * wider), max(whole, whole + (high - whole) * wider)
    )
