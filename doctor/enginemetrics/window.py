"""What happened between two scrapes, or since the server began: growth, rates, quantiles."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.enginemetrics import names
from doctor.facts.engine import Distribution, EngineSeries, Metrics
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """All engine processes together. ``grown`` has the growth of every counter of
    ``names.GROWING`` that is exposed; ``observed`` the histograms of what fell into the window."""

    seconds: float
    grown: dict[str, float]
    observed: dict[str, Distribution]

    def rate(self, name: str) -> float | None:
        """Growth of a counter per second."""
        if name not in self.grown or self.seconds <= 0:
            return None
        return self.grown[name] / self.seconds

    def quantile(self, name: str, share: float) -> float | None:
        """The value that ``share`` (0 to 1) of the observations do not exceed, interpolated within
        its bucket as Prometheus does; None where nothing was observed."""
        held = self.observed.get(name)
        return None if held is None else quantile(held, share)

    def mean(self, name: str) -> float | None:
        held = self.observed.get(name)
        return None if held is None or held.count <= 0 else held.sum / held.count

    @property
    def hit_rate(self) -> float | None:
        """Tokens found in the prefix cache, by those looked up (0 to 1); external stores count."""
        looked_up = self.grown.get(names.PREFIX_QUERIES)
        if not looked_up or names.PREFIX_HITS not in self.grown:
            return None
        hits = self.grown[names.PREFIX_HITS] + self.grown.get(names.EXTERNAL_HITS, 0.0)
        return min(hits / looked_up, 1.0)


def between(before: Metrics, after: Metrics) -> Window | None:
    """None where the server was started anew in between, or no time has passed."""
    seconds = after.at - before.at
    if seconds <= 0 or not after.series or not before.series:
        return None
    if before.started is not None and after.started is not None and after.started > before.started:
        return None
    earlier = {(s.engine, s.model): s for s in before.series}
    pairs = [(earlier.get((s.engine, s.model)), s) for s in after.series]
    if any(_fell(old, new) for old, new in pairs if old is not None):
        return None
    return _window(seconds, pairs)


def since_start(metrics: Metrics) -> Window | None:
    """All that was counted since the server began; None where it does not tell when that was."""
    if metrics.started is None or metrics.at <= metrics.started or not metrics.series:
        return None
    return _window(metrics.at - metrics.started, [(None, s) for s in metrics.series])


def total(metrics: Metrics) -> Window:
    """As ``since_start``, whether or not it is known when that was; then ``seconds`` is 0."""
    known = since_start(metrics)
    return known or _window(0.0, [(None, s) for s in metrics.series])


def _window(seconds: float, pairs: list[tuple[EngineSeries | None, EngineSeries]]) -> Window:
    grown: dict[str, float] = {}
    observed: dict[str, Distribution] = {}
    for old, new in pairs:
        for name in names.GROWING:
            if name in new.values:
                start = 0.0 if old is None else old.values.get(name, 0.0)
                grown[name] = grown.get(name, 0.0) + new.values[name] - start
        for name, held in new.histograms.items():
            part = _less(held, None if old is None else old.histograms.get(name))
            observed[name] = part if name not in observed else _added(observed[name], part)
    return Window(seconds, grown, observed)


def _fell(old: EngineSeries, new: EngineSeries) -> bool:
    return any(
        new.values[name] < old.values[name]
        for name in names.GROWING
        if name in old.values and name in new.values
    )


def _less(held: Distribution, before: Distribution | None) -> Distribution:
    if before is None or before.bounds != held.bounds:
        return held
    counts = _each(held.counts, before.counts, -1)
    return Distribution(held.count - before.count, held.sum - before.sum, held.bounds, counts)


def _added(one: Distribution, other: Distribution) -> Distribution:
    if one.bounds != other.bounds:
        return one
    counts = _each(one.counts, other.counts, 1)
    return Distribution(one.count + other.count, one.sum + other.sum, one.bounds, counts)


def _each(ones: Iterable[float], others: Iterable[float], sign: int) -> tuple[float, ...]:
    return tuple(one + sign * other for one, other in zip(ones, others, strict=True))


def quantile(held: Distribution, share: float) -> float | None:
    """As ``Window.quantile``. What lies above the last finite bound is told as that bound."""
    if held.count <= 0 or not held.bounds:
        return None
    rank = share * held.count
    below, lower = 0.0, 0.0
    for bound, count in zip(held.bounds, held.counts, strict=True):
        if count >= rank:
            inside = count - below
            return bound if inside <= 0 else lower + (bound - lower) * (rank - below) / inside
        below, lower = count, bound
    return held.bounds[-1]


def share_up_to(held: Distribution, value: float) -> float | None:
    """At least this share of the observations is at most ``value``, by the last bound that is."""
    if held.count <= 0:
        return None
    within = [n for bound, n in zip(held.bounds, held.counts, strict=True) if bound <= value]
    return within[-1] / held.count if within else 0.0
