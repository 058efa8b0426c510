"""Made-up figures of a load."""

from __future__ import annotations

import random
from typing import Any

from doctor.bench.beside import Beside, Gauges
from doctor.bench.figures import Level, Repeat, level_of
from doctor.bench.scenario import Load


def repeat(
    rate: float = 100.0,
    ttft: float = 0.1,
    tpot: float = 0.02,
    *,
    seed: int = 0,
    count: int = 40,
    **more: Any,
) -> Repeat:
    """``count`` answers of 50 tokens whose times scatter by 5 %."""
    rng = random.Random(f"{seed}/{rate}/{ttft}")

    def about(value: float, times: int) -> tuple[float, ...]:
        return tuple(value * rng.uniform(0.95, 1.05) for _ in range(times))

    output = 50 * count
    figures: dict[str, Any] = {
        "seconds": output / rate,
        "prompt_tokens": 100 * count,
        "output_tokens": output,
        "errors": {},
    }
    return Repeat(
        ttft=about(ttft, count),
        tpot=about(tpot, count),
        inter_token=about(tpot, count),
        latency=about(ttft + 49 * tpot, count),
        rates=about(rate, 10),
        pieces=output,
        cached_tokens=None,
        **{**figures, **more},
    )


def level(concurrency: int, *repeats: Repeat) -> Level:
    return level_of(Load(concurrency), repeats or (repeat(),))


def looks(*of: tuple[float, float, float], times: int = 1, preempted: float = 0) -> Beside:
    """Running, waiting and use of the KV cache at each look."""
    return Beside(tuple(Gauges(*one) for one in of * times), preempted=preempted)
