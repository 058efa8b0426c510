"""Where one GPU's memory went, by the numbers of the log alone."""

from __future__ import annotations

from dataclasses import fields

from doctor.explain.log.engine import Start
from doctor.explain.log.numbers import Memory
from doctor.records import dataclass
from doctor.text import Text, _

# Rounding of the log's own numbers (GiB).
_ROUNDING = 0.02
# What the driver needs beside vLLM's share (GiB), and the largest share worth proposing.
_SPARE = 0.5
_MOST = 0.95
# Two bytes per value: what fp8 halves.
_WIDE = ("auto", "bfloat16", "float16", "half")


@dataclass(frozen=True, slots=True)
class Part:
    """``name`` is a word of the JSON document, ``gib`` its size."""

    name: str
    gib: float


@dataclass(frozen=True, slots=True)
class Knob:
    """A flag and what it gives back, computed from numbers of the log. ``gib`` and ``tokens`` are
    of KV cache, None where the log does not allow the sum."""

    flag: str
    text: Text
    gib: float | None = None
    tokens: int | None = None


def tightest(start: Start) -> tuple[str, Memory] | None:
    """The process whose GPU leaves least for the KV cache: it decides for all."""
    known = [(name, memory) for name, memory in start.memory.items() if _says(memory)]
    if not known:
        return None
    name, least = min(
        known, key=lambda one: (one[1].kv is None, one[1].kv or 0.0, -(one[1].weights or 0.0))
    )
    # A line may come from the process that speaks for all, another from the worker itself.
    merged = Memory()
    for field in fields(Memory):
        value = getattr(least, field.name)
        if value is None:
            value = next(
                (getattr(m, field.name) for _n, m in known if getattr(m, field.name) is not None),
                None,
            )
        setattr(merged, field.name, value)
    merged.graphs_reserved = any(memory.graphs_reserved for _name, memory in known)
    return name, merged


def parts_of(memory: Memory) -> tuple[Part, ...]:
    """The parts in the order in which they are taken; what the log leaves open is left out."""
    found: list[Part] = []
    if memory.weights is not None:
        found.append(Part("weights", memory.weights))
    elif memory.weights_and_more is not None:
        found.append(Part("weights_and_runtime", memory.weights_and_more))
    if memory.weights is not None and memory.weights_and_more is not None:
        more = memory.weights_and_more - memory.weights
        if more > _ROUNDING:
            found.append(Part("runtime", round(more, 2)))
    elif memory.non_torch is not None and memory.non_torch > _ROUNDING:
        found.append(Part("runtime", memory.non_torch))
    if memory.activations is not None:
        reserved = (memory.graphs_estimated or 0.0) if memory.graphs_reserved else 0.0
        found.append(Part("activations", round(max(0.0, memory.activations - reserved), 2)))
    graphs = memory.graphs if memory.graphs is not None else memory.graphs_estimated
    if graphs is not None:
        found.append(Part("cuda_graphs", graphs))
    if memory.kv is not None:
        found.append(Part("kv_cache", memory.kv))
    return tuple(found)


def left_of(memory: Memory) -> Part | None:
    """What vLLM was not told to take, where the log says so."""
    if memory.total is None or memory.requested is None:
        return None
    return Part("not_requested", round(max(0.0, memory.total - memory.requested), 2))


def knobs_of(start: Start, memory: Memory) -> tuple[Knob, ...]:
    """Flags that give KV cache back, the largest first."""
    found: list[Knob] = []
    kv, tokens = memory.kv, start.kv.tokens
    per_gib = tokens / kv if tokens and kv and kv > 0 else None
    share = _more_share(memory)
    if share is not None and memory.total is not None and memory.utilization is not None:
        gained = round((share - memory.utilization) * memory.total, 2)
        found.append(
            Knob(
                f"--gpu-memory-utilization {share:.2f}",
                _(
                    "of the {total:.2f} GiB; {free:.2f} were free at the start",
                    total=memory.total,
                    free=memory.free_at_start or memory.total,
                ),
                gained,
                int(gained * per_gib) if per_gib else None,
            )
        )
    dtype = str(start.config.get("kv_cache_dtype", start.args.get("kv_cache_dtype", "auto")))
    if kv and kv > 0 and tokens and dtype in _WIDE and start.kv.device == "GPU":
        found.append(
            Knob(
                "--kv-cache-dtype fp8", _("up to twice the tokens in the same memory"), None, tokens
            )
        )
    reserved = memory.graphs_estimated if memory.graphs_reserved else None
    if reserved is not None and reserved > _ROUNDING:
        found.append(
            Knob(
                "--enforce-eager",
                _("no CUDA graphs, at the cost of speed"),
                reserved,
                int(reserved * per_gib) if per_gib else None,
            )
        )
    return tuple(sorted(found, key=lambda knob: -(knob.tokens or 0)))


def _more_share(memory: Memory) -> float | None:
    """The largest share that was free at the start, if it is more than now."""
    if memory.total is None or memory.utilization is None or memory.free_at_start is None:
        return None
    fits = min(_MOST, int((memory.free_at_start - _SPARE) / memory.total * 100) / 100)
    return fits if fits >= memory.utilization + 0.01 else None


def _says(memory: Memory) -> bool:
    return any(
        getattr(memory, field.name) is not None
        for field in fields(Memory)
        if field.name != "graphs_reserved"
    )
