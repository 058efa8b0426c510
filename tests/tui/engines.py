"""Samples of watched engines, written down: one that fills up, one at ease."""

from __future__ import annotations

import math

from doctor.enginemetrics.sample import Gap, Sample

START = 1_795_000_000.0


def filling(looks: int = 60) -> tuple[Sample | Gap, ...]:
    """From half full to a full cache with a queue and preemptions; one look failed."""
    made: list[Sample | Gap] = [_first()]
    for n in range(1, looks):
        if n == looks // 2:
            made.append(Gap(START + 2 * n, "http://127.0.0.1:8000/metrics answers 503"))
            continue
        load = n / looks
        wave = math.sin(n / 3) / 20
        over = max(load - 0.7, 0.0)
        made.append(
            Sample(
                at=START + 2 * n,
                seconds=2.0,
                running=round(20 + 44 * load),
                waiting=round(over * 120),
                kv_usage=min(0.45 + 0.6 * load + wave, 0.99),
                hit_rate=0.62 - 0.3 * load + wave,
                preempted=round(over * 20),
                prompt_rate=5_200 + 4_000 * wave,
                generation_rate=1_400 + 900 * load - 2_000 * over,
                ttft_p50=0.12 + 0.3 * load + over * 4,
                ttft_p95=0.30 + 0.6 * load + over * 12,
                inter_token_p50=0.018 + 0.012 * load,
                inter_token_p95=0.031 + 0.04 * load,
                engines=1,
            )
        )
    return tuple(made)


def at_ease(looks: int = 30) -> tuple[Sample | Gap, ...]:
    """Nothing to do but a request now and then."""
    made: list[Sample | Gap] = [Sample(START, running=0, waiting=0, kv_usage=0.0, engines=1)]
    for n in range(1, looks):
        busy = n % 7 == 0
        made.append(
            Sample(
                at=START + 2 * n,
                seconds=2.0,
                running=1 if busy else 0,
                waiting=0,
                kv_usage=0.02 if busy else 0.0,
                hit_rate=0.8 if busy else None,
                preempted=0,
                prompt_rate=420 if busy else 0,
                generation_rate=55 if busy else 0,
                ttft_p50=0.041 if busy else None,
                ttft_p95=0.048 if busy else None,
                inter_token_p50=0.0098 if busy else None,
                inter_token_p95=0.012 if busy else None,
                engines=1,
            )
        )
    return tuple(made)


def _first() -> Sample:
    """The first look has no rates yet."""
    return Sample(START, running=20, waiting=0, kv_usage=0.45, engines=1)
