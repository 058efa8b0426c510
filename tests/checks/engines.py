"""Engines at work, as probes give them, for the checks that judge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from doctor import facts
from doctor.facts.answers import ServedModel
from doctor.facts.engine import Engine
from doctor.facts.store import Fact
from tests.enginemetrics.texts import HOUR, metrics

Given = dict[Fact[Any], object]
Values = Mapping[str, float]

ROOT = "http://127.0.0.1:8000"
NONE = Engine(None, "no vLLM address is known")
RUNNING = "vllm:num_requests_running"
WAITING = "vllm:num_requests_waiting"
USAGE = "vllm:kv_cache_usage_perc"
PREEMPTIONS = "vllm:num_preemptions_total"
QUEUE = "vllm:request_queue_time_seconds"


def engine(**more: Any) -> Engine:
    return Engine(ROOT, **{"version": "0.32.0", "local": True, **more})


def state(running: float = 0, waiting: float = 0, usage: float = 0, **more: float) -> Values:
    """The gauges of a moment; ``more`` are counters without prefix and ``_total``."""
    named = {f"vllm:{name}_total": value for name, value in more.items()}
    return {RUNNING: running, WAITING: waiting, USAGE: usage, **named}


def at_work(
    before: Values,
    later: Values | None = None,
    *,
    cache: Mapping[str, str] | None = None,
    more: Sequence[str] = (),
    more_later: Sequence[str] | None = None,
    uptime: float = HOUR,
    seconds: float = 2.0,
    **told: Any,
) -> Given:
    """An engine at one look, or at two that lie ``seconds`` apart."""
    given: Given = {
        facts.ENGINE: engine(**told),
        facts.METRICS: metrics(before, more, cache, uptime),
    }
    if later is not None:
        lines = more if more_later is None else more_later
        given[facts.METRICS_LATER] = metrics(later, lines, cache, uptime + seconds)
    return given


def behind(*models: ServedModel) -> Engine:
    """The engine behind a gateway, with its own models."""
    return engine(behind=True, models=models)
