"""What the gauges of one scrape say, all engine processes together."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.enginemetrics import names
from doctor.facts.engine import Metrics
from doctor.records import dataclass

# Where the use of the KV cache is at its best: below, memory lies idle; above, requests wait.
KV_BAND = (0.7, 0.9)
# Nearly no block is left.
KV_FULL = 0.97
# From here on it is worth a second look.
_PRESSED = 0.5


@dataclass(frozen=True, slots=True)
class Now:
    """Requests; ``kv_usage`` (0 to 1) is that of the fullest engine, called ``fullest``. None is
    "not exposed"."""

    running: float | None
    waiting: float | None
    deferred: float | None
    kv_usage: float | None
    fullest: str
    sleeping: bool
    engines: int

    @property
    def pressed(self) -> bool:
        """Whether there is so much to do that one glance cannot tell how it goes."""
        return bool(self.waiting) or (self.kv_usage or 0.0) >= _PRESSED


def now_of(metrics: Metrics) -> Now:
    """The state at the time of the scrape."""
    series = metrics.series
    usages = [(s.values[names.KV_USAGE], s.engine) for s in series if names.KV_USAGE in s.values]
    usage, fullest = max(usages, default=(None, ""))
    return Now(
        running=_sum(s.values.get(names.RUNNING) for s in series),
        waiting=_sum(s.values.get(names.WAITING) for s in series),
        deferred=_sum(s.values.get(names.WAITING_DEFERRED) for s in series),
        kv_usage=usage,
        fullest=fullest,
        sleeping=any(s.values.get(names.SLEEPING) for s in series),
        engines=len({s.engine for s in series}),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return sum(told) if told else None
