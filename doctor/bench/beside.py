"""The engine's own figures while it is under load, and those of its GPUs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from doctor.bench.gpus import GpuUse, folded
from doctor.enginemetrics import between, names, now_of
from doctor.facts.engine import Metrics
from doctor.facts.gpus import GpuLoad
from doctor.facts.store import Unavailable
from doctor.probes.gpuload import GpuLook
from doctor.records import dataclass

Look = Callable[[], Awaitable[Metrics]]

_EVERY = 0.25
# A GPU's own figure of how busy it is covers up to a second.
_GPU_EVERY = 0.5
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Gauges:
    """One look: requests, and the use of the KV cache (0 to 1). None is "not exposed"."""

    running: float | None
    waiting: float | None
    kv_usage: float | None


@dataclass(frozen=True, slots=True)
class Beside:
    """What an engine said during one repeat. ``ttft`` and ``inter_token`` are the means of its own
    histograms in seconds, ``queued`` that of the time in the queue; counts are of this time."""

    looks: tuple[Gauges, ...] = ()
    preempted: float | None = None
    hit_rate: float | None = None
    ttft: float | None = None
    inter_token: float | None = None
    queued: float | None = None
    prompt_tokens: float | None = None
    output_tokens: float | None = None

    @property
    def running(self) -> float | None:
        """The most that ran at once."""
        return max((g.running for g in self.looks if g.running is not None), default=None)

    @property
    def waiting(self) -> float | None:
        return max((g.waiting for g in self.looks if g.waiting is not None), default=None)

    @property
    def kv_usage(self) -> float | None:
        return max((g.kv_usage for g in self.looks if g.kv_usage is not None), default=None)


class Sampling:
    """Holds what was seen once the block has ended; ``result`` is None where the engine did not
    tell, ``gpus`` has none where no GPU was looked at."""

    def __init__(self) -> None:
        self.result: Beside | None = None
        self.gpus: tuple[GpuUse, ...] = ()


@contextlib.asynccontextmanager
async def sampling(look: Look | None, gpu: GpuLook | None = None) -> AsyncIterator[Sampling]:
    """Looks at the engine and its GPUs until the block ends; without ``look`` and ``gpu`` there is
    none to look at."""
    held = Sampling()
    before = await _looked(look)
    seen: list[Gauges] = []
    loads: list[tuple[GpuLoad, ...]] = []
    watches: list[asyncio.Task[None]] = []
    if look is not None and before is not None:
        watches.append(asyncio.create_task(_watch(look, seen)))
    if gpu is not None:
        watches.append(asyncio.create_task(_watch_gpus(gpu, loads)))
    try:
        yield held
    finally:
        for watch in watches:
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
    held.gpus = folded(loads)
    after = None if before is None else await _looked(look)
    if before is not None and after is not None:
        held.result = _between(before, after, seen)


async def _looked(look: Look | None) -> Metrics | None:
    if look is None:
        return None
    try:
        async with asyncio.timeout(_PATIENCE):
            return await look()
    except (Unavailable, TimeoutError):
        return None


async def _watch(look: Look, seen: list[Gauges]) -> None:
    while True:
        await asyncio.sleep(_EVERY)
        metrics = await _looked(look)
        if metrics is not None:
            now = now_of(metrics)
            seen.append(Gauges(now.running, now.waiting, now.kv_usage))


async def _watch_gpus(look: GpuLook, loads: list[tuple[GpuLoad, ...]]) -> None:
    while True:
        await asyncio.sleep(_GPU_EVERY)
        loads.append(await look())


def _between(before: Metrics, after: Metrics, seen: list[Gauges]) -> Beside:
    window = between(before, after)
    if window is None:
        return Beside(tuple(seen))
    return Beside(
        looks=tuple(seen),
        preempted=window.grown.get(names.PREEMPTIONS),
        hit_rate=window.hit_rate,
        ttft=window.mean(names.TTFT),
        inter_token=window.mean(names.INTER_TOKEN),
        queued=window.mean(names.QUEUE),
        prompt_tokens=window.grown.get(names.PROMPT_TOKENS),
        output_tokens=window.grown.get(names.GENERATION_TOKENS),
    )
