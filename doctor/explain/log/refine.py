"""What a text means once the rest of the log is known: the phase, and the numbers before it."""

from __future__ import annotations

import re
from dataclasses import replace

from doctor.explain.log.byname import weights_by_name
from doctor.explain.log.engine import Start
from doctor.explain.log.failures import Failure
from doctor.explain.log.numbers import Memory
from doctor.explain.model import Cause, Symptom
from doctor.explain.texts.engine_memory import (
    BESIDE_THE_SHARE,
    DRIVER_OUT_OF_MEMORY,
    NO_BLOCKS,
    NO_ROOM,
    NOT_LOADED,
    OUT_OF_MEMORY,
    OUT_OF_MEMORY_CUT,
    WHILE_LOADED,
    card_of,
    others_hold,
    torch_holds,
)
from doctor.explain.texts.engine_parallel import SPLIT, split_of
from doctor.explain.texts.engine_settings import NUMBER, devices_as_numbers, number_in
from doctor.patterns import Pattern
from doctor.text import Text, _, joined
from doctor.untrusted import visible

_LOADING = {
    "load_model",
    "load_weights",
    "initialize_model",
    "_initialize_model",
    "get_model",
    "create_weights",
    "process_weights_after_loading",
    "make_layers",
}
_WARMING = {"_dummy_sampler_run", "_dummy_pooler_run"}
_CAPTURING = {"capture_model", "_capture_cudagraphs", "_capture_model", "capture_cudagraphs"}
_CACHING = {
    "initialize_from_config",
    "initialize_kv_cache",
    "_allocate_kv_cache_tensors",
    "initialize_kv_cache_tensors",
    "_allocate_kv_cache",
    "initialize_cache",
}
_PROFILING = {
    "determine_available_memory",
    "determine_num_available_blocks",
    "profile_run",
    "profile_cudagraph_memory",
}
# Below this share vLLM was told to take little (docs: 0.9 is the default, 0.92 from 0.20).
_LOW = 0.7
# The least of vLLM's defaults.
_DEFAULT = 0.9
# GiB that others hold before it is theirs, as in texts.engine_memory.
_HELD = 1.0
# Above it little is left for what vLLM does not count, as in checks/memory.
_MOST = 0.95
# How likely others are the cause where a phase tells another.
_BESIDE = 0.6
# The smallest card that is worth the name, of which half is more than small weights take (GiB).
_SMALLEST = 8.0
_SHARDS = Pattern(r"Loading (?:safetensors|pt|multi-thread loading) checkpoint shards: +\d{1,2}% ")
_STEP = 0.05


def refined(
    entry: Symptom, match: re.Match[str], failure: Failure, start: Start
) -> tuple[Cause, ...]:
    """The causes of ``entry`` in this log."""
    memory = start.memory.get(failure.process) or next(iter(start.memory.values()), Memory())
    if entry is NO_BLOCKS:
        return no_blocks(memory, start) or entry.of(match)
    if entry in NO_ROOM:
        return _unless_high(entry.of(match), _share(memory, start))
    if entry is OUT_OF_MEMORY or entry is OUT_OF_MEMORY_CUT:
        return _out_of_memory(failure, memory, start) or entry.of(match)
    if entry is DRIVER_OUT_OF_MEMORY:
        return (WHILE_LOADED,) if _passed(failure) == "loading" else BESIDE_THE_SHARE
    if entry is NUMBER and any("physical_device_id" in frame for frame in failure.frames):
        return (devices_as_numbers(number_in(match), 0.95),)
    if entry is SPLIT:
        return split_of(match, _ranks(start))
    return entry.of(match)


def _ranks(start: Start) -> int | None:
    """Over how many GPUs each layer is cut, None where the log does not tell."""
    size = start.config.get("tensor_parallel_size", start.args.get("tensor_parallel_size"))
    return size if isinstance(size, int) and size > 0 else None


def phase(failure: Failure, start: Start) -> str | None:
    """``loading``, ``profiling``, ``caching``, ``capturing``, ``warming``, ``serving``; None where
    neither frames nor the lines before tell."""
    if (passed := _passed(failure)) is not None:
        return passed
    if start.ready is not None and failure.line > start.ready:
        return "serving"
    if _SHARDS.search(failure.text) or NOT_LOADED.search(failure.text):
        return "loading"  # the bar of the weights was written into the message
    memory = start.memory.get(failure.process) or next(iter(start.memory.values()), None)
    if start.kv.tokens is not None or start.kv.blocks is not None:
        return "capturing" if start.ready is None else None
    if memory is not None and memory.weights is not None:
        return "profiling"
    return "loading" if start.marks and start.ready is None else None


def _passed(failure: Failure) -> str | None:
    """The phase by the functions that the exception passed through."""
    passed = set(failure.frames)
    for name, functions in (
        ("warming", _WARMING),
        ("capturing", _CAPTURING),
        ("caching", _CACHING),
        ("profiling", _PROFILING),
        ("loading", _LOADING),
    ):
        if passed & functions:
            return name
    return None


def _utilization(memory: Memory, start: Start) -> float | None:
    given = start.args.get("gpu_memory_utilization")
    return memory.utilization or (float(given) if isinstance(given, int | float) else None)


def _share(memory: Memory, start: Start) -> float | None:
    """The default's where the arguments are known and hold none; vLLM-Omni gives each stage its
    own in a file (vllm_omni/deploy/)."""
    share = _utilization(memory, start)
    return _DEFAULT if share is None and start.args and not _has_stages(start) else share


def _has_stages(start: Start) -> bool:
    return bool(start.args.get("omni")) or any("StageEngine" in name for name in start.memory)


def no_blocks(memory: Memory, start: Start) -> tuple[Cause, ...]:
    """Why nothing is left for the KV cache, by the figures of the log; empty where they tell
    nothing."""
    share, total = _share(memory, start), memory.total
    held = total - memory.free_at_start if total and memory.free_at_start is not None else None
    if held is not None and held > max(_HELD, 0.1 * (total or 0)):
        return (
            Cause(
                "KVD805",
                0.9,
                _(
                    "{held:.2f} of {total:.2f} GiB were in use before this engine began",
                    held=held,
                    total=total,
                ),
                ("CUDA_VISIBLE_DEVICES",),
            ),
            Cause("KVD802", 0.5, _("in old versions the share counts what others hold as well")),
        )
    if share is not None and share < _LOW:
        told = (
            _(
                "{share} of the card is vLLM's, the weights take {weights:.2f} GiB",
                share=share,
                weights=memory.weights,
            )
            if memory.weights is not None
            else _("only {share} of the card is vLLM's", share=share)
        )
        return (
            Cause("KVD802", 0.9, told, ("--gpu-memory-utilization 0.9",)),
            Cause("KVD806", 0.3, _("or do the weights fill the card?")),
        )
    if share is None and _has_stages(start):
        return _of_a_stage(memory)
    if memory.weights is None:
        named = weights_by_name(start)
        if named is not None:
            return _by_name(*named)
        return () if share is None else _BY_DEFAULT
    room = (share if share is not None else 0.9) * total if total is not None else _SMALLEST
    if memory.weights < room / 2:
        return _not_by_weights(memory.weights, share)
    told = _("the weights take {weights:.2f} GiB", weights=memory.weights)
    if total is not None:
        told = _(
            "the weights take {weights:.2f} of {total:.2f} GiB", weights=memory.weights, total=total
        )
    return (
        Cause("KVD806", 0.8, told, ("--tensor-parallel-size", "--quantization")),
        Cause(
            "KVD813",
            0.4,
            _("or do activations take the rest? Fewer tokens per batch need less"),
            ("--max-num-batched-tokens 2048", "--max-num-seqs 64"),
        ),
        *(
            (Cause("KVD802", 0.4, _("is --gpu-memory-utilization below 0.9?")),)
            if share is None
            else ()
        ),
    )


_MORE = Cause(
    "KVD802", 0.55, _("a share of 0.95 leaves a little more"), ("--gpu-memory-utilization 0.95",)
)
_HELD_BY_OTHERS = Cause("KVD805", 0.35, _("does another process hold a part of the card?"))
# The share is not low, and nothing tells how large the weights are.
_BY_DEFAULT = (
    _MORE,
    Cause(
        "KVD806",
        0.5,
        _("are the weights alone nearly as large as vLLM's share of the card?"),
        ("--tensor-parallel-size", "--quantization"),
    ),
    Cause(
        "KVD813",
        0.4,
        _("or do activations take the rest? Fewer tokens per batch need less"),
        ("--max-num-batched-tokens 2048", "--max-num-seqs 64"),
    ),
    _HELD_BY_OTHERS,
)


def _by_name(name: str, weights: float) -> tuple[Cause, ...]:
    told = _(
        "the weights of {name} alone take {weights:.1f} GiB of each GPU: does it have much more?",
        name=visible(name, 100),
        weights=weights,
    )
    return (
        Cause("KVD806", 0.6, told, ("--tensor-parallel-size", "--quantization")),
        _MORE,
        _HELD_BY_OTHERS,
    )


def _of_a_stage(memory: Memory) -> tuple[Cause, ...]:
    """Stages share a card, so that a low share is what their files have."""
    told = _("each stage of vLLM-Omni has a gpu_memory_utilization of its own in the deploy file")
    if memory.weights is not None:
        weights = _("this one's weights take {weights:.2f} GiB", weights=memory.weights)
        told = joined(told, weights, blank="; ")
    return (
        Cause("KVD802", 0.8, told),
        Cause("KVD805", 0.5, _("do the other stages hold the rest of the card?")),
        Cause("KVD806", 0.3, _("or do the weights fill the card?")),
    )


def _not_by_weights(weights: float, share: float | None) -> tuple[Cause, ...]:
    """Half of vLLM's share and more went to something else."""
    return (
        Cause(
            "KVD813",
            0.7,
            _(
                "the weights take {weights:.2f} GiB only; do activations take the rest?",
                weights=weights,
            ),
            ("--max-num-batched-tokens 2048", "--max-num-seqs 64"),
        ),
        Cause("KVD805", 0.6, _("does another process hold a part of the card?")),
        *(
            (Cause("KVD802", 0.55, _("is --gpu-memory-utilization below 0.9?")),)
            if share is None
            else ()
        ),
    )


def _unless_high(causes: tuple[Cause, ...], share: float | None) -> tuple[Cause, ...]:
    """Without a share that is too low where it is known to be no less than the default."""
    if share is None or share < _DEFAULT:
        return causes
    return tuple(cause for cause in causes if cause.code != "KVD802")


def _over_the_card(text: str, start: Start) -> Cause | None:
    """That the weights of a model that is known are more than the GPU of which torch tells."""
    card, named = card_of(text), weights_by_name(start)
    if card is None or named is None or named[1] <= card:
        return None
    told = _(
        "the weights of {name} alone take {weights:.1f} GiB of each GPU, and it has {card:.1f}",
        name=visible(named[0], 100),
        weights=named[1],
        card=card,
    )
    return Cause("KVD806", 0.95, told, ("--tensor-parallel-size", "--quantization"))


def _out_of_memory(failure: Failure, memory: Memory, start: Start) -> tuple[Cause, ...]:
    when = phase(failure, start)
    others = others_hold(failure.text)
    larger = _over_the_card(failure.text, start)
    if larger is not None:
        return (larger, *(() if others is None else (replace(others, likelihood=_BESIDE),)))
    if when == "loading":
        if others is None:
            return (WHILE_LOADED,)
        return (others, Cause("KVD806", 0.5, _("or are the weights too large for what is left?")))
    beside = () if others is None else (replace(others, likelihood=_BESIDE, changes=()),)
    found = _after_loading(when, beside, _lower(memory, start))
    share = _utilization(memory, start)
    if share is None or share <= _MOST or when in ("profiling", "caching"):
        return found or _beside_the_cache(failure.text, share, beside, _lower(memory, start))
    # No more than what vLLM does not count would have had to fit beside it.
    told = _("{share} of the card leaves too little for what vLLM does not count", share=share)
    rest = found or (
        Cause("KVD813", 0.6, _("after the weights were loaded: graphs, sampler, activations")),
        Cause("KVD806", 0.4, _("while the weights are loaded: they do not fit")),
        *beside,
    )
    return (
        Cause("KVD802", 0.92, told, ("--gpu-memory-utilization 0.9",)),
        *(cause for cause in rest if cause.code != "KVD802"),
    )


def _beside_the_cache(
    text: str, share: float | None, others: tuple[Cause, ...], lower: tuple[str, ...]
) -> tuple[Cause, ...]:
    """Where the phase is not known: weights and cache stay in vLLM's share, so that torch holds
    little more where the engine was up."""
    held = torch_holds(text)
    if share is None or held is None or others or not share - _STEP < held < share + _STEP:
        return ()
    return (
        Cause(
            "KVD813",
            0.7,
            _("weights and cache fill vLLM's share; the activations come on top"),
            (*lower, "--max-num-seqs 64"),
        ),
        Cause("KVD806", 0.4, _("or do the weights fill the card?")),
    )


def _after_loading(
    when: str | None, others: tuple[Cause, ...], lower: tuple[str, ...]
) -> tuple[Cause, ...]:
    """The causes by the phase, none where it is not known; ``others`` hold a part of the card."""
    told: Text
    if when == "profiling":
        told = _("it happened in the trial run, with the largest batch")
        changes: tuple[str, ...] = ("--max-num-batched-tokens 2048", "--max-num-seqs 64")
        return (
            Cause("KVD813", 0.85, told, changes),
            *others,
            Cause("KVD806", 0.4, _("do the weights leave little?")),
        )
    if when == "caching":
        return (
            Cause(
                "KVD805",
                0.7,
                _(
                    "it happened while the KV cache was laid out, of a size that was"
                    " measured before: something else took memory since"
                ),
            ),
            Cause("KVD802", 0.6, _("less for vLLM leaves room"), lower),
        )
    if when in ("capturing", "warming"):
        told = (
            _("it happened while CUDA graphs were captured, on top of the KV cache")
            if when == "capturing"
            else _("it happened in the sampler's warm-up, on top of the KV cache")
        )
        return (
            Cause("KVD813", 0.9, told, (*lower, "--max-num-seqs 64", "--enforce-eager")),
            Cause("KVD802", 0.5, _("vLLM's share leaves too little beside it"), lower),
            *others,
        )
    if when == "serving":
        return (
            Cause(
                "KVD813",
                0.9,
                _(
                    "it happened while requests were served: a large batch needs"
                    " more than the trial run"
                ),
                (*lower, "--max-num-batched-tokens 2048"),
            ),
            *others,
        )
    return ()


def _lower(memory: Memory, start: Start) -> tuple[str, ...]:
    share = _utilization(memory, start)
    fits = (share if share is not None else 0.9) - _STEP
    return (f"--gpu-memory-utilization {fits:.2f}",) if fits > 0 else ()
