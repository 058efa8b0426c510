"""What the engine's GPUs did while a load was on, from looks at them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from doctor.facts.gpus import GpuLoad
from doctor.records import dataclass

SLOWED = ("power", "heat")


@dataclass(frozen=True, slots=True)
class GpuUse:
    """One device during one repeat, or all repeats of a load. ``used`` is the most memory in bytes
    that was held, of ``total``; ``busy`` the mean share (0 to 1) of the time in which something ran
    on it; ``power`` and ``heat`` are the shares of the looks in which that held its clocks down.
    None is "not told". ``looks`` is at how many moments this was seen."""

    index: int
    looks: int
    used: int | None = None
    total: int | None = None
    busy: float | None = None
    power: float | None = None
    heat: float | None = None

    @property
    def full(self) -> float | None:
        """The share of its memory that was held (0 to 1)."""
        return None if self.used is None or not self.total else self.used / self.total


def folded(looks: Sequence[Sequence[GpuLoad]]) -> tuple[GpuUse, ...]:
    """By device, in their order; none where nothing was seen."""
    by_device: dict[int, list[GpuLoad]] = {}
    for look in looks:
        for load in look:
            by_device.setdefault(load.index, []).append(load)
    return tuple(_use(index, loads) for index, loads in sorted(by_device.items()))


def _use(index: int, loads: Sequence[GpuLoad]) -> GpuUse:
    reasons = [load.slowed for load in loads if load.slowed is not None]
    power, heat = (
        None if not reasons else sum(reason == word for reason in reasons) / len(reasons)
        for word in SLOWED
    )
    return GpuUse(
        index=index,
        looks=len(loads),
        used=max((load.used for load in loads if load.used is not None), default=None),
        total=max((load.total for load in loads if load.total is not None), default=None),
        busy=_mean([(load.busy, 1) for load in loads if load.busy is not None]),
        power=power,
        heat=heat,
    )


def together(repeats: Iterable[Sequence[GpuUse]]) -> tuple[GpuUse, ...]:
    """Of several repeats: means are by the number of looks."""
    by_device: dict[int, list[GpuUse]] = {}
    for uses in repeats:
        for use in uses:
            by_device.setdefault(use.index, []).append(use)
    return tuple(_joined(index, uses) for index, uses in sorted(by_device.items()))


def _joined(index: int, uses: Sequence[GpuUse]) -> GpuUse:
    def weighed(name: str) -> float | None:
        told = [(value, use.looks) for use in uses if (value := getattr(use, name)) is not None]
        return _mean(told)

    return GpuUse(
        index=index,
        looks=sum(use.looks for use in uses),
        used=max((use.used for use in uses if use.used is not None), default=None),
        total=max((use.total for use in uses if use.total is not None), default=None),
        busy=weighed("busy"),
        power=weighed("power"),
        heat=weighed("heat"),
    )


def busiest(uses: Iterable[GpuUse]) -> GpuUse | None:
    """The one on which most was done; None where none tells."""
    return max((use for use in uses if use.busy is not None), key=_busy, default=None)


def _busy(use: GpuUse) -> float:
    return use.busy or 0.0


def _mean(told: Sequence[tuple[float, int]]) -> float | None:
    weight = sum(times for _value, times in told)
    return math.fsum(value * times for value, times in told) / weight if weight else None
