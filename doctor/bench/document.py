"""A run as JSON: ``kvdoctor.bench/1``. Times in seconds, rates per second, shares 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doctor import __version__
from doctor.bench.beside import Beside
from doctor.bench.compare import Comparison, Difference, GpuChange
from doctor.bench.figures import Level, Times
from doctor.bench.gpus import GpuUse
from doctor.bench.running import Run
from doctor.bench.stats import Interval

SCHEMA = "kvdoctor.bench/1"


def bench_document(
    run: Run, comparison: Comparison | None, overhead: Sequence[Difference]
) -> dict[str, Any]:
    """The document; ``overhead`` is that of the other way, none where there is no other."""
    knee = run.knee
    return {
        "schema": SCHEMA,
        "tool": {"name": "kvdoctor", "version": __version__},
        "started_at": run.started,
        "setup": run.setup,
        "levels": [_level(level) for level in run.levels],
        "knee": None
        if knee is None
        else {
            "load": knee.load,
            "reached": knee.reached,
            "output_tokens_per_s": knee.output_rate,
            "limit": None
            if knee.limit is None
            else {
                "kind": knee.limit.kind,
                "confidence": knee.limit.confidence.word,
                "at": knee.limit.at,
                "text": str(knee.limit.text),
            },
        },
        "through": None
        if not run.through_url
        else {
            "url": run.through_url,
            "levels": [_level(level) for level in run.through],
            "overhead": [_difference(difference) for difference in overhead],
        },
        "comparison": None if comparison is None else _comparison(comparison),
        "spent": {"requests": run.requests, "tokens": run.spent},
        "notes": [str(note) for note in run.notes],
    }


def kept_document(kept: Sequence[tuple[str, Run]]) -> dict[str, Any]:
    """The runs that are kept, by name."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "kvdoctor", "version": __version__},
        "runs": [
            {
                "name": name,
                "started_at": run.started,
                "setup": run.setup,
                "loads": [level.load.name for level in run.levels],
                "output_tokens_per_s": max((v.output_rate for v in run.levels), default=None),
                "knee": None if run.knee is None else run.knee.load,
            }
            for name, run in kept
        ],
    }


def _level(level: Level) -> dict[str, Any]:
    engines = [repeat.engine for repeat in level.repeats if repeat.engine is not None]
    cached = [r.cached_tokens for r in level.repeats if r.cached_tokens is not None]
    return {
        "load": level.load.name,
        "concurrency": level.load.concurrency,
        "rate": level.load.rate,
        "repeats": len(level.repeats),
        "requests": level.answers,
        "errors": level.errors,
        "seconds": sum(repeat.seconds for repeat in level.repeats),
        "prompt_tokens": sum(repeat.prompt_tokens for repeat in level.repeats),
        "output_tokens": sum(repeat.output_tokens for repeat in level.repeats),
        "pieces": sum(repeat.pieces for repeat in level.repeats),
        "client_lag_s": level.lag,
        "cached_tokens": sum(cached) if cached else None,
        "output_tokens_per_s": level.output_rate,
        "output_tokens_per_s_interval": _interval(level.sure),
        "total_tokens_per_s": level.total_rate,
        "requests_per_s": level.request_rate,
        **{f"{name}_s": _times(level.times.get(name)) for name in _NAMES},
        "engine": None if not engines else _engine(engines),
        "gpus": [_gpu(use) for use in level.gpus],
    }


_NAMES = ("ttft", "tpot", "inter_token", "latency")


def _times(times: Times | None) -> dict[str, Any] | None:
    if times is None:
        return None
    shares = {
        name: {"value": share.value, "interval": _interval(share.interval)}
        for name, share in times.shares.items()
    }
    return {"count": times.count, "mean": times.mean, **shares}


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _engine(engines: Sequence[Beside]) -> dict[str, Any]:
    def most(name: str) -> float | None:
        return max((v for e in engines if (v := getattr(e, name)) is not None), default=None)

    def average(name: str) -> float | None:
        told = [v for e in engines if (v := getattr(e, name)) is not None]
        return sum(told) / len(told) if told else None

    return {
        "looks": sum(len(engine.looks) for engine in engines),
        "running_max": most("running"),
        "waiting_max": most("waiting"),
        "kv_usage_max": most("kv_usage"),
        "preempted": most("preempted"),
        "hit_rate": average("hit_rate"),
        "ttft_mean_s": average("ttft"),
        "inter_token_mean_s": average("inter_token"),
        "queue_mean_s": average("queued"),
    }


def _gpu(use: GpuUse) -> dict[str, Any]:
    return {
        "index": use.index,
        "looks": use.looks,
        "memory_used_max_bytes": use.used,
        "memory_total_bytes": use.total,
        "busy_mean": use.busy,
        "slowed_by_power": use.power,
        "slowed_by_heat": use.heat,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "load": difference.load,
        "figure": difference.figure,
        "before": difference.before,
        "after": difference.after,
        "change": difference.change,
        "interval": _interval(difference.sure),
        "verdict": difference.verdict,
    }


def _gpu_change(change: GpuChange) -> dict[str, Any]:
    return {"load": change.load, "before": _gpu(change.before), "after": _gpu(change.after)}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "with": comparison.name,
        "verdict": comparison.verdict,
        "one_repeat": comparison.once,
        "changed": [
            {"name": c.name, "before": c.before, "after": c.after} for c in comparison.changed
        ],
        "differences": [_difference(difference) for difference in comparison.differences],
        "gpus": [_gpu_change(change) for change in comparison.gpus],
        "loads_of_one_run": list(comparison.missing),
    }
