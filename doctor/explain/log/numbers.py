"""What an engine says of itself in its lines: version, arguments, memory, KV cache, load.

Wordings: facts/vllm.md §§4.4, 4.5, 5.8; the older memory lines as 0.6–0.9 print them. Sizes are GiB
as the log has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from doctor.patterns import Pattern
from doctor.records import dataclass


@dataclass(slots=True)
class Memory:
    """One GPU's (one process's) memory in GiB, None where the log does not tell.

    ``requested`` is vLLM's share: total × utilization. ``weights_and_more`` stands for weights and
    what the driver and NCCL hold, where vLLM gives only the sum. ``graphs_reserved``: CUDA graphs
    are part of vLLM's share, and what it calls activations holds the estimate of them
    (v1/worker/gpu_worker.py@0.32.0).
    """

    total: float | None = None
    free_at_start: float | None = None
    utilization: float | None = None
    requested: float | None = None
    weights: float | None = None
    weights_and_more: float | None = None
    activations: float | None = None
    non_torch: float | None = None
    graphs: float | None = None
    graphs_estimated: float | None = None
    graphs_reserved: bool = False
    kv: float | None = None
    kv_suggested_bytes: int | None = None


@dataclass(slots=True)
class Load:
    """The periodic lines of a running engine: how many, and the worst of each. ``line`` and
    ``text`` are the first in which requests waited or were preempted, ``busy_samples`` those in
    which some ran, ``running_at_peak`` is how many ran while the cache was fullest."""

    samples: int = 0
    peak_kv_percent: float = 0.0
    peak_waiting: int = 0
    peak_running: int = 0
    running_at_peak: int = 0
    busy_samples: int = 0
    waiting_samples: int = 0
    full_samples: int = 0
    preemptions: int = 0
    preempted_samples: int = 0
    last_hit_percent: float | None = None
    line: int = 0
    text: str = ""


# Almost full: the next request of any length waits (percent).
FULL = 95.0

_Setter = Callable[[Memory, re.Match[str]], None]


def _set(**names: str) -> _Setter:
    def setter(memory: Memory, match: re.Match[str]) -> None:
        for field, group in names.items():
            value = match[group]
            if value is not None:
                setattr(memory, field, float(value))

    return setter


# The words that begin a line of memory, and what it tells.
MEMORY: tuple[tuple[Pattern, _Setter], ...] = tuple(
    (Pattern(pattern), setter)
    for pattern, setter in (
        (
            r"Model loading took (?P<w>[\d.]+) Gi?B|Loading model weights took (?P<w0>[\d.]+) GB",
            lambda memory, match: setattr(memory, "weights", float(match["w"] or match["w0"])),
        ),
        (r"Available KV cache memory: (?P<kv>-?[\d.]+) Gi?B", _set(kv="kv")),
        (
            r"total_gpu_memory \((?P<t>[\d.]+)GiB\) x gpu_memory_utilization \((?P<u>[\d.]+)\) = "
            r"(?P<r>[\d.]+)GiB",
            _set(total="t", utilization="u", requested="r"),
        ),
        (
            r"model weights take (?P<w>[\d.]+)GiB; non_torch_memory takes (?P<n>-?[\d.]+)GiB; "
            r"PyTorch activation peak memory takes (?P<a>-?[\d.]+)GiB; the rest of the memory "
            r"reserved for KV Cache is (?P<kv>-?[\d.]+)GiB",
            _set(weights="w", non_torch="n", activations="a", kv="kv"),
        ),
        (
            r"Memory profiling results: total_gpu_memory=(?P<t>[\d.]+)GiB "
            r"initial_memory_usage=(?P<i>[\d.]+)GiB",
            lambda memory, match: _initial(memory, match),
        ),
        (r"non_torch_memory=(?P<n>-?[\d.]+)GiB", _set(non_torch="n")),
        (r"kv_cache_size=(?P<kv>-?[\d.]+)GiB", _set(kv="kv")),
        (r"gpu_memory_utilization=(?P<u>[\d.]+)$", _set(utilization="u")),
        (
            r"Free memory on device (?:\S+ )?\((?P<f>[\d.]+)/(?P<t>[\d.]+) GiB\) on startup"
            r"[^(]{0,60}\((?P<u>[\d.]+), (?P<r>[\d.]+) GiB\)",
            _set(free_at_start="f", total="t", utilization="u", requested="r"),
        ),
        (
            r"Actual usage(?: is|:) (?P<w>[\d.]+) GiB for (?:consumed memory \(weights \+ non-torch"
            r"\)|(?P<weight>weights?)), (?P<a>[\d.]+) GiB for peak activation"
            r"(?:, (?P<n>-?[\d.]+) GiB for non-torch memory)?,? and (?P<g>-?[\d.]+) GiB for"
            r" \w+ ?[Gg]raph memory|Actual usage(?: is|:) (?P<w2>[\d.]+) GiB for (?:consumed memory"
            r" \(weights \+ non-torch\)|weights?), (?P<a2>[\d.]+) GiB for peak activation",
            lambda memory, match: _actual(memory, match),
        ),
        (r"Current kv cache memory in use is (?P<kv>[\d.]+) GiB", _set(kv="kv")),
        (
            r"Current kv cache memory in use is (?P<kv>\d+) bytes",
            lambda memory, match: setattr(memory, "kv", round(int(match["kv"]) / 2**30, 2)),
        ),
        (
            r"--kv-cache-memory=(?P<bytes>\d+)` \([\d.]+ GiB\) to fully",
            lambda memory, match: setattr(memory, "kv_suggested_bytes", int(match["bytes"])),
        ),
        (r"Graph capturing finished in \d+ secs, took (?P<g>-?[\d.]+) GiB", _set(graphs="g")),
        (r"Estimated CUDA graph memory: (?P<g>[\d.]+) GiB total", _set(graphs_estimated="g")),
        (
            r"CUDA graph memory profiling is enabled",
            lambda memory, match: setattr(memory, "graphs_reserved", True),
        ),
        (
            r"graph pool memory: (?P<g>[\d.]+) GiB \(actual\), (?P<e>[\d.]+) GiB \(estimated\)",
            _set(graphs="g", graphs_estimated="e"),
        ),
        (
            r"Initial free memory (?P<f>[\d.]+) GiB, reserved (?P<kv>[\d.]+) GiB memory for KV",
            _set(free_at_start="f", kv="kv"),
        ),
        (
            r"Explicitly set \((?P<kv>[\d.]+)/(?P<t>[\d.]+)\) GiB for KV cache",
            _set(kv="kv", total="t"),
        ),
    )
)


def _initial(memory: Memory, match: re.Match[str]) -> None:
    memory.total = float(match["t"])
    memory.free_at_start = round(memory.total - float(match["i"]), 2)


def _actual(memory: Memory, match: re.Match[str]) -> None:
    used = float(match["w"] or match["w2"])
    if match["weight"]:
        memory.weights = used
    else:
        memory.weights_and_more = used
    memory.activations = float(match["a"] or match["a2"])
    if match["n"]:
        memory.non_torch = float(match["n"])
    if match["g"]:
        memory.graphs = float(match["g"])


def read_memory(memory: Memory, text: str) -> None:
    """Take what ``text`` tells into ``memory``."""
    for pattern, setter in MEMORY:
        match = pattern.search(text)
        if match is not None:
            setter(memory, match)


_PERIODIC = {
    "running": Pattern(r"Running: (\d+) reqs"),
    "waiting": Pattern(r"(?:Waiting|Pending): (\d+) reqs"),
    "usage": Pattern(r"(?:GPU|CPU|XPU|TPU|HPU|NPU) KV cache usage: ([\d.]+)%"),
    "hits": Pattern(r"(?<!External )[Pp]refix cache hit rate: (?:GPU: )?([\d.]+)%"),
    "preempted": Pattern(r"Preemptions: (\d+)"),
}


def read_load(load: Load, number: int, text: str) -> None:
    """One periodic line; its parts are optional and their order differs by version."""
    found = {
        name: float(match[1])
        for name, pattern in _PERIODIC.items()
        if (match := pattern.search(text)) is not None
    }
    add_sample(load, number, text, found)


def add_sample(load: Load, number: int, text: str, found: Mapping[str, float]) -> None:
    """One look at a running engine: ``running``, ``waiting``, ``usage`` (percent), ``hits``
    (percent) and ``preempted``, as far as they were told."""
    load.samples += 1
    usage, waiting = found.get("usage", 0.0), int(found.get("waiting", 0))
    running, preempted = int(found.get("running", 0)), int(found.get("preempted", 0))
    if usage >= load.peak_kv_percent:
        as_full = load.running_at_peak if usage == load.peak_kv_percent else 0
        load.peak_kv_percent, load.running_at_peak = usage, max(running, as_full)
    load.peak_waiting = max(load.peak_waiting, waiting)
    load.peak_running = max(load.peak_running, running)
    if (waiting or preempted) and not load.text:
        load.line, load.text = number, text
    load.busy_samples += running > 0 or waiting > 0
    load.waiting_samples += waiting > 0
    load.full_samples += usage >= FULL and waiting > 0
    load.preemptions += preempted
    load.preempted_samples += preempted > 0
    if "hits" in found:
        load.last_hit_percent = found["hits"]
