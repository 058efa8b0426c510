"""Texts of ``/metrics``, made for a test or recorded from the real engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from doctor.demo import vllm_metrics
from doctor.enginemetrics import read
from doctor.facts.engine import Metrics

STARTED = 1_795_000_000.0
HOUR = 3600.0
LABELS = {"engine": "0", "model_name": "qwen3-8b"}
CACHE = {
    "block_size": "16",
    "cache_dtype": "auto",
    "enable_prefix_caching": "True",
    "gpu_memory_utilization": "0.9",
    "is_attention_free": "False",
    "kv_cache_memory_bytes": "None",
    "kv_cache_size_tokens": "131072",
    "num_gpu_blocks": "8192",
    "num_gpu_blocks_override": "None",
}


def recorded() -> str:
    """What vLLM 0.32.0 exposed."""
    folder = resources.files(vllm_metrics.__package__ or "")
    return (folder / "data" / "vllm-0.32.0-metrics.txt").read_text("utf-8")


def line(name: str, value: object, labels: Mapping[str, str] = LABELS, **more: str) -> str:
    written = ",".join(f'{key}="{text}"' for key, text in {**labels, **more}.items())
    return f"{name}{{{written}}} {value}"


def histogram(
    name: str, counts: Mapping[str, float], total: float, labels: Mapping[str, str] = LABELS
) -> list[str]:
    """``counts`` are cumulative, by upper bound; the last one is the count."""
    lines = [line(f"{name}_bucket", n, labels, le=bound) for bound, n in counts.items()]
    count = list(counts.values())[-1]
    return [*lines, line(f"{name}_count", count, labels), line(f"{name}_sum", total, labels)]


def config(**changed: str) -> str:
    return line("vllm:cache_config_info", "1.0", {"engine": "0", **CACHE, **changed})


def text(
    values: Mapping[str, float] | None = None,
    more: Sequence[str] = (),
    cache: Mapping[str, str] | None = None,
) -> str:
    """An engine with these values beside a configuration."""
    told = {"vllm:num_requests_running": 0.0, "vllm:num_requests_waiting": 0.0, **(values or {})}
    lines = [f"process_start_time_seconds {STARTED}", config(**(cache or {}))]
    return "\n".join([*lines, *(line(name, value) for name, value in told.items()), *more]) + "\n"


def metrics(
    values: Mapping[str, float] | None = None,
    more: Sequence[str] = (),
    cache: Mapping[str, str] | None = None,
    after: float = HOUR,
) -> Metrics:
    """The same as a snapshot, taken ``after`` seconds of uptime."""
    url = "http://127.0.0.1:8000/metrics"
    return read(text(values, more, cache), url, STARTED + after)
