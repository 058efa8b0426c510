"""What a run tells while it goes on."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import TypeAlias

from doctor.bench.beside import Gauges
from doctor.bench.figures import Level
from doctor.bench.scenario import Load
from doctor.bench.stats import quantile
from doctor.probes.streaming import Shot
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """A load under way: ``done`` of ``of`` requests, output ``tokens`` in ``seconds`` so far.
    ``ttft`` and ``tpot`` are the medians of the answers until now, None before there are any."""

    side: str
    load: Load
    repeat: int
    repeats: int
    done: int
    of: int
    failed: int
    tokens: int
    seconds: float = 0.0
    ttft: float | None = None
    tpot: float | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What the engine has just said of itself."""

    gauges: Gauges


@dataclass(frozen=True, slots=True)
class Measured:
    """A load of the target is over, with all of its repeats."""

    level: Level


Event: TypeAlias = Progress | Looked | Measured
Tell: TypeAlias = Callable[[Event], None]


class Count:
    """The answers of one repeat, as they come."""

    def __init__(self) -> None:
        self.done = self.failed = self.tokens = 0
        self._firsts: list[float] = []
        self._others: list[float] = []

    def add(self, shot: Shot) -> None:
        self.done += 1
        if shot.error:
            self.failed += 1
            return
        self.tokens += shot.tokens
        for values, value in ((self._firsts, shot.ttft), (self._others, shot.tpot)):
            if value is not None:
                bisect.insort(values, value)

    @property
    def ttft(self) -> float | None:
        return _median(self._firsts)

    @property
    def tpot(self) -> float | None:
        return _median(self._others)


def _median(values: list[float]) -> float | None:
    return quantile(values, 0.5) if values else None
