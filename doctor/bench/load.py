"""Sends requests in a closed or an open loop, within bounds."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import field

from doctor.bench.scenario import Load
from doctor.bench.stop import Stop
from doctor.probes.streaming import Shot
from doctor.records import dataclass

Ask = Callable[[], Awaitable[Shot]]
Heard = Callable[[Shot], None]

# In an open loop a server that cannot keep up gathers requests without end.
MOST_UNDER_WAY = 512
# Where nothing is answered, more requests teach nothing.
_FAILURES = 5
_TICK = 0.02


class Purse:
    """The tokens of a whole run. ``each`` is what one request may cost."""

    def __init__(self, tokens: int | None, each: int) -> None:
        self._left = tokens
        self._each = each
        self.spent = 0

    def take(self) -> bool:
        """Set aside what one request may cost; False where that much is no longer there."""
        if self._left is None:
            return True
        if self._left < self._each:
            return False
        self._left -= self._each
        return True

    def settle(self, shot: Shot) -> None:
        """Put back what ``shot`` did not cost. A request that failed counts by what it told."""
        cost = (shot.prompt or 0) + shot.tokens
        if not shot.error and shot.prompt is None:
            cost = max(cost, self._each)
        self.spent += cost
        if self._left is not None:
            self._left += self._each - cost

    @property
    def empty(self) -> bool:
        return self._left is not None and self._left < self._each


@dataclass(slots=True)
class Salvo:
    """What came of one repeat of one load. ``began`` and ``ended`` are on ``perf_counter``;
    ``lags`` are the seconds by which this process was late to look at its clock. ``held`` says that
    more requests were due than are kept under way."""

    began: float
    ended: float = 0.0
    shots: list[Shot] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    held: bool = False

    @property
    def hopeless(self) -> bool:
        return len(self.shots) >= _FAILURES and all(shot.error for shot in self.shots)


@dataclass(frozen=True, slots=True)
class Bounds:
    """``seconds`` is how long requests may begin."""

    requests: int
    seconds: float


async def fire(
    ask: Ask,
    load: Load,
    bounds: Bounds,
    purse: Purse,
    heard: Heard = lambda _shot: None,
    arrival: Callable[[], float] | None = None,
    stop: Stop | None = None,
) -> Salvo:
    """Every request that began has ended when this returns. ``arrival`` gives the seconds to the
    next one of an open loop."""
    stop = stop or Stop()
    salvo = Salvo(time.perf_counter())
    over = salvo.began + bounds.seconds
    left = bounds.requests

    def begins() -> bool:
        nonlocal left
        over_now = stop.asked or time.perf_counter() >= over
        if left <= 0 or over_now or salvo.hopeless or not purse.take():
            return False
        left -= 1
        return True

    async def one() -> None:
        shot = await ask()
        purse.settle(shot)
        salvo.shots.append(shot)
        heard(shot)

    watch = asyncio.create_task(_watch(salvo.lags))
    try:
        if load.rate is None:
            await _closed(load.concurrency or 1, begins, one)
        else:
            await _open(begins, one, arrival or (lambda: 1 / (load.rate or 1.0)), salvo)
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
    salvo.ended = max(
        (shot.began + shot.latency for shot in salvo.shots), default=time.perf_counter()
    )
    return salvo


def poisson(rate: float, rng: random.Random) -> Callable[[], float]:
    """Seconds between arrivals of a Poisson process."""
    return lambda: rng.expovariate(rate)


async def _closed(
    concurrency: int, begins: Callable[[], bool], one: Callable[[], Awaitable[None]]
) -> None:
    async def worker() -> None:
        while begins():
            await one()

    async with asyncio.TaskGroup() as group:
        for _number in range(concurrency):
            group.create_task(worker())


async def _open(
    begins: Callable[[], bool],
    one: Callable[[], Awaitable[None]],
    gap: Callable[[], float],
    salvo: Salvo,
) -> None:
    under_way: set[asyncio.Task[None]] = set()
    due = time.perf_counter()
    try:
        while True:
            await asyncio.sleep(max(due - time.perf_counter(), 0.0))
            if len(under_way) >= MOST_UNDER_WAY:
                salvo.held = True
                await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            if not begins():
                break
            task = asyncio.ensure_future(one())
            under_way.add(task)
            task.add_done_callback(under_way.discard)
            due += gap()
        await asyncio.gather(*under_way)
    finally:
        for task in under_way:
            task.cancel()


async def _watch(lags: list[float]) -> None:
    while True:
        before = time.perf_counter()
        await asyncio.sleep(_TICK)
        lags.append(max(time.perf_counter() - before - _TICK, 0.0))
