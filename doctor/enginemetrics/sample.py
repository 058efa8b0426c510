"""One line of a watched engine: the state at a moment, and what happened since the last one."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.enginemetrics import names
from doctor.enginemetrics.now import KV_BAND, now_of
from doctor.enginemetrics.window import Window, between
from doctor.facts.engine import Metrics
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """``at`` in seconds since 1970. Shares are 0 to 1, latencies seconds, rates tokens per second,
    ``preempted`` a count. None is "not exposed", or that nothing happened that could be measured.
    ``seconds`` is the time since the last sample, None for the first and after a restart."""

    at: float
    seconds: float | None = None
    running: float | None = None
    waiting: float | None = None
    kv_usage: float | None = None
    hit_rate: float | None = None
    preempted: float | None = None
    prompt_rate: float | None = None
    generation_rate: float | None = None
    ttft_p50: float | None = None
    ttft_p95: float | None = None
    inter_token_p50: float | None = None
    inter_token_p95: float | None = None
    engines: int = 0

    @property
    def saturated(self) -> bool:
        """The KV cache is full and somebody pays for it."""
        if self.waiting and self.preempted:
            # vLLM preempts only where no block is left: it was full since the last look.
            return True
        full = self.kv_usage is not None and self.kv_usage >= KV_BAND[1]
        return full and bool(self.waiting or self.preempted)


@dataclass(frozen=True, slots=True)
class Gap:
    """A moment at which the engine did not tell; ``reason`` says why."""

    at: float
    reason: str


def lasting(samples: Iterable[Sample | Gap]) -> bool:
    """Whether it was saturated at two of these looks at least. They need not follow each other:
    each preemption frees the blocks of a whole request, so that the use of a cache that is too
    small swings, and a look in between finds it half empty."""
    return sum(isinstance(each, Sample) and each.saturated for each in samples) > 1


def sample_of(before: Metrics | None, after: Metrics) -> Sample:
    """``before`` None for the first look."""
    now = now_of(after)
    window = None if before is None else between(before, after)
    if window is None:
        return Sample(
            after.at,
            running=now.running,
            waiting=now.waiting,
            kv_usage=now.kv_usage,
            engines=now.engines,
        )
    return Sample(
        at=after.at,
        seconds=window.seconds,
        running=now.running,
        waiting=now.waiting,
        kv_usage=now.kv_usage,
        hit_rate=_hit_rate(window, after),
        preempted=window.grown.get(names.PREEMPTIONS),
        prompt_rate=window.rate(names.PROMPT_TOKENS),
        generation_rate=window.rate(names.GENERATION_TOKENS),
        engines=now.engines,
        **_latencies(window),
    )


def _hit_rate(window: Window, after: Metrics) -> float | None:
    """Of the window; the engine's V0 has but a gauge, which is -1 where caching is off."""
    gauges = [s.values[names.HIT_RATE] for s in after.series if names.HIT_RATE in s.values]
    told = max(gauges, default=-1.0)
    return window.hit_rate if told < 0 else told


def _latencies(window: Window) -> dict[str, float | None]:
    return {
        "ttft_p50": window.quantile(names.TTFT, 0.5),
        "ttft_p95": window.quantile(names.TTFT, 0.95),
        "inter_token_p50": window.quantile(names.INTER_TOKEN, 0.5),
        "inter_token_p95": window.quantile(names.INTER_TOKEN, 0.95),
    }
