"""Texts of vLLM about GPU memory (facts/vllm.md §5.1)."""

from __future__ import annotations

import math
import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

# Less than this is the driver's and the desktop's own (GiB).
_OWN = 1.0
# Left free for what is allocated later (share of the card).
_SPARE = 0.02


def _no_room(match: re.Match[str]) -> tuple[Cause, ...]:
    """V0 names the tokens that fit, V1 the GiB and, from 0.8.4 on, a length that fits."""
    found = match.groupdict()
    window = int(found["window"])
    fits = found.get("fits") or found.get("length")
    change = (f"--max-model-len {fits}",) if fits and 0 < int(fits) < window else ()
    if found.get("need"):
        told = _(
            "a request of {window:,} tokens needs {need} GiB of KV cache, {have} GiB are there",
            window=window,
            need=found["need"],
            have=found["have"],
        )
    else:
        told = _(
            "a request of {window:,} tokens does not fit into a cache of {fits} tokens",
            window=window,
            fits=fits,
        )
    return (
        Cause("KVD803", 0.9, told, change),
        Cause(
            "KVD806",
            0.25,
            _("do the weights take most of the card? More GPUs or fewer bits leave more for KV"),
            ("--tensor-parallel-size", "--quantization"),
        ),
        Cause(
            "KVD802",
            0.2,
            _("is --gpu-memory-utilization well below 0.9, with nothing else on the card?"),
        ),
    )


def _not_free(match: re.Match[str]) -> tuple[Cause, ...]:
    """What is missing from the whole card is held by others, or by the driver itself."""
    free, total, share = (float(match.group(name)) for name in ("free", "total", "share"))
    held = total - free
    fits = math.floor((free / total - _SPARE) * 100) / 100 if total > 0 else 0.0
    # A sliver of a card holds no engine: then there is only the other process.
    change = (f"--gpu-memory-utilization {fits:.2f}",) if _SLIVER <= fits < share else ()
    told = _(
        "{held:.2f} of {total:.2f} GiB were held by others when vLLM started",
        held=held,
        total=total,
    )
    least = min(_OWN, 0.1 * total)
    others, too_much = (0.9, 0.5) if held > least else (0.3, 0.9)
    causes = (
        Cause("KVD805", others, told, ("CUDA_VISIBLE_DEVICES", *change)),
        Cause(
            "KVD802",
            too_much,
            _("{share} of the card is more than {free:.2f} GiB", share=share, free=free),
            change,
        ),
    )
    return causes if held > least else causes[::-1]


def _allocation(match: re.Match[str]) -> tuple[Cause, ...]:
    """torch names who holds the card, where it knows: others are the cause if they hold a part."""
    others = others_hold(match.string)
    if others is not None:
        return (others, Cause("KVD806", 0.3, _("or are the weights too large for what is left?")))
    if NOT_LOADED.search(match.string):
        return (WHILE_LOADED,)
    if _IN_GRAPHS.search(match.string):
        return (
            Cause(
                "KVD813",
                0.85,
                _("it happened while CUDA graphs were captured, on top of the KV cache"),
                ("--gpu-memory-utilization 0.85", "--max-num-seqs 64", "--enforce-eager"),
            ),
            Cause("KVD806", 0.3, _("or do the weights fill the card?")),
        )
    if _fills_the_card(match.string):
        return (
            Cause(
                "KVD806",
                0.75,
                _("more than vLLM's share is torch's already, as while weights are loaded"),
                ("--tensor-parallel-size", "--quantization"),
            ),
            Cause("KVD813", 0.5, _("after the weights were loaded: graphs, sampler, activations")),
            Cause(
                "KVD802",
                0.4,
                _("or is --gpu-memory-utilization above 0.95, so that the cache fills the card?"),
                ("--gpu-memory-utilization 0.9",),
            ),
        )
    return (
        Cause("KVD813", 0.6, _("after the weights were loaded: graphs, sampler, activations")),
        Cause("KVD806", 0.5, _("while the weights are loaded: they do not fit")),
        Cause("KVD805", 0.2, _("does nvidia-smi show other processes?")),
    )


# What current versions of vLLM say in front of torch's text.
NOT_LOADED = re.compile(r"failed to load model - not enough gpu memory", re.IGNORECASE)
WHILE_LOADED = Cause(
    "KVD806",
    0.9,
    _("it happened while the weights were loaded"),
    ("--tensor-parallel-size", "--quantization", "--cpu-offload-gb"),
)
_SLIVER = 0.2
_HELD = re.compile(
    r"total capac(?:i)?ty of (?P<total>[\d.]+) GiB of which (?P<free>[\d.]+) (?P<unit>[GMK]i)B is"
    r" free.*?this process has (?P<own>[\d.]+) (?P<own_unit>[GM]i)B memory in use",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"process \d+ has (?P<held>[\d.]+) (?P<unit>[GM]i)B memory in use", re.IGNORECASE
)
_MINE = re.compile(r"allocated memory (?P<mine>[\d.]+) GiB is", re.IGNORECASE)
_ALLOCATED = re.compile(
    r"total capac(?:i)?ty of (?P<total>[\d.]+) GiB.*?allocated memory (?P<mine>[\d.]+) GiB is",
    re.IGNORECASE,
)
# Before torch 2.1.
_ALLOCATED_OLD = re.compile(
    r"(?P<total>[\d.]+) GiB total capacity; (?P<mine>[\d.]+) GiB already allocated", re.IGNORECASE
)
_CARD = re.compile(
    r"(?P<old>[\d.]+) GiB total capacity;|total capac(?:i)?ty of (?P<total>[\d.]+) GiB",
    re.IGNORECASE,
)
# c10/cuda/CUDACachingAllocator.cpp, before torch 2.1 and since.
_RESERVED_OLD = re.compile(
    r"(?P<total>[\d.]+) (?P<total_unit>[GM]i)B total capacity; [\d.]+ [GMK]iB already allocated;"
    r" (?P<free>[\d.]+) (?P<free_unit>[GMK]i)B free; (?:[\d.]+ [GM]iB allowed; )?"
    r"(?P<mine>[\d.]+) (?P<mine_unit>[GM]i)B reserved in total by pytorch",
    re.IGNORECASE,
)
_RESERVED = re.compile(
    r"total capac(?:i)?ty of (?P<total>[\d.]+) (?P<total_unit>[GM]i)B of which"
    r" (?P<free>[\d.]+) (?P<free_unit>[GMK]i)B is free\. of the allocated memory"
    r" (?P<mine>[\d.]+) (?P<mine_unit>[GM]i)B is allocated by pytorch.{0,200}?, and"
    r" (?P<spare>[\d.]+) (?P<spare_unit>[GMK]i)B is reserved by pytorch but unallocated",
    re.IGNORECASE,
)
# The CUDA context, NCCL's buffers and what the driver keeps for graphs (GiB, share of the card).
_BESIDE_TORCH, _BESIDE_TORCH_SHARE = 4.0, 0.1
# No share of vLLM's is so large (of the card).
_ALL = 0.96
# torch tells of pools of CUDA graphs only where some were captured already.
_IN_GRAPHS = re.compile(r"allocated in private pools \(e\.g\., CUDA Graphs\)", re.IGNORECASE)
_IN_GIB = {"gi": 1.0, "mi": 1 / 1024, "ki": 1 / 1024**2}


def others_hold(text: str) -> Cause | None:
    """That others hold a part of the card, by torch's figures; None where they show none."""
    held = held_by_others(text)
    if held is not None:
        if held <= _OWN:
            return None
        told = _("{held:.2f} GiB of the GPU are held by other processes", held=held)
        return Cause("KVD805", 0.85, told, ("CUDA_VISIBLE_DEVICES",))
    rest = _unaccounted(text)
    if rest is None:
        return None
    told = _(
        "about {rest:.0f} GiB of the GPU are neither free nor torch's: more than CUDA and NCCL"
        " take, so another process holds them",
        rest=rest,
    )
    return Cause("KVD805", 0.8, told, ("CUDA_VISIBLE_DEVICES",))


def _unaccounted(text: str) -> float | None:
    """GiB that are neither free nor torch's, if they are more than an engine takes beside torch;
    where torch does not say what its own process holds: before 2.1, and where NVML is not there."""
    match = _RESERVED_OLD.search(text) or _RESERVED.search(text)
    if match is None:
        return None
    total, free, mine = (_in_gib(match, name) for name in ("total", "free", "mine"))
    if "spare" in match.groupdict():
        mine += _in_gib(match, "spare")
    rest = total - free - mine
    return rest if rest > max(_BESIDE_TORCH, _BESIDE_TORCH_SHARE * total) else None


def _in_gib(match: re.Match[str], name: str) -> float:
    return float(match[name]) * _IN_GIB[match[f"{name}_unit"].lower()]


def held_by_others(text: str) -> float | None:
    """GiB of the card that neither are free nor this process's, None where torch does not say."""
    match = _HELD.search(text)
    if match is None:
        return _held_by_named(text)
    free = float(match["free"]) * _IN_GIB[match["unit"].lower()]
    own = float(match["own"]) * _IN_GIB[match["own_unit"].lower()]
    return max(0.0, float(match["total"]) - free - own)


def _held_by_named(text: str) -> float | None:
    """Where torch lists processes by their numbers and does not know its own among them: the one
    that holds hardly more than torch has is this one."""
    listed = [
        float(match["held"]) * _IN_GIB[match["unit"].lower()] for match in _LISTED.finditer(text)
    ]
    mine = _MINE.search(text)
    if len(listed) < 2 or mine is None:
        return None
    own = min(listed, key=lambda held: abs(held - float(mine["mine"])))
    return sum(listed) - own


def card_of(text: str) -> float | None:
    """GiB of the whole GPU, as torch tells them."""
    match = _CARD.search(text)
    return None if match is None else float(match["old"] or match["total"])


def _fills_the_card(text: str) -> bool:
    """Whether torch alone holds nearly all: the cache is laid out in vLLM's share, so it is not
    the cache."""
    held = torch_holds(text)
    return held is not None and held > _ALL


def torch_holds(text: str) -> float | None:
    """The share of the card that torch has allocated, None where it does not tell."""
    match = _ALLOCATED.search(text) or _ALLOCATED_OLD.search(text)
    if match is None or float(match["total"]) <= 0:
        return None
    return float(match["mine"]) / float(match["total"])


NO_BLOCKS = symptom(
    # V0 up to 0.7 goes on with a cache of no blocks, in which no request is ever served.
    r"no available memory for the cache blocks"
    r"|memory reserved for kv cache is -\d|available kv cache memory: -\d"
    r"|# (?:gpu|cuda) blocks: 0\b"
    # vllm-ascend, in bytes.
    r"|available memory: (?:0|-\d+), total memory",
    _("weights and activations take all of vLLM's share of the GPU: nothing is left for KV cache"),
    Cause(
        "KVD802",
        0.55,
        _("is --gpu-memory-utilization low? It caps weights, activations and KV cache together"),
        ("--gpu-memory-utilization 0.9",),
    ),
    Cause("KVD806", 0.5, _("are the weights alone nearly as large as that share?")),
    Cause("KVD805", 0.35, _("does another process hold a part of the card?")),
)
NO_ROOM = (
    symptom(
        r"max seq len \((?P<window>\d+)\) is larger than the maximum number of tokens that can be"
        r" stored in KV cache \((?P<fits>\d+)\)",
        _("one request of the full window does not fit into the KV cache"),
        _no_room,
    ),
    symptom(
        r"to serve at least one request with the model\S* max seq len \((?P<window>\d+)\),? ?\(?"
        r"(?P<need>[\d.]+) Gi?B KV cache is needed.{0,80}?available KV cache memory"
        r" \((?P<have>-?[\d.]+) Gi?B\)(?:.{0,80}?estimated maximum model length is (?P<fits>\d+))?",
        _("one request of the full window does not fit into the KV cache"),
        _no_room,
    ),
)
OUT_OF_MEMORY = symptom(
    r"(?:CUDA|HIP|XPU) out of memory\. tried to allocate",
    _("the GPU had no room for one more piece of memory"),
    _allocation,
)
# Cut behind its first words.
OUT_OF_MEMORY_CUT = symptom(
    r"outofmemoryerror: (?:CUDA|HIP|XPU) out of memory(?!\.?\s*tried to allocate)",
    _("the GPU had no room for one more piece of memory"),
    Cause("KVD813", 0.6, _("after the weights were loaded: graphs, sampler, activations")),
    Cause("KVD806", 0.5, _("while the weights are loaded: they do not fit")),
    Cause("KVD805", 0.2, _("does nvidia-smi show other processes?")),
)
# In an engine's log, and of NCCL, which an engine starts.
BESIDE_THE_SHARE = (
    Cause(
        "KVD813",
        0.75,
        _("vLLM's share leaves too little beside it"),
        ("--gpu-memory-utilization 0.85",),
    ),
    Cause("KVD805", 0.3, _("does nvidia-smi show other processes?")),
    Cause("KVD806", 0.3, _("or do the weights fill the card?")),
)
# In other texts. What torch itself has no room for it tells with figures ("Tried to allocate",
# c10/cuda/CUDACachingAllocator.cpp): without them not even the driver had room for its own, as
# where a program is put on a card that is full.
_FULL_ALREADY = (
    Cause(
        "KVD805",
        0.6,
        _("does nvidia-smi show that others fill that GPU? Then give this program another one"),
        ("CUDA_VISIBLE_DEVICES",),
    ),
    Cause(
        "KVD813",
        0.5,
        _("or does it run beside vLLM, whose share leaves too little?"),
        ("--gpu-memory-utilization 0.85",),
    ),
    Cause("KVD806", 0.3, _("or do the weights fill the card?")),
)
# The driver's own words, as for NCCL and for kernels that are no part of torch.
DRIVER_OUT_OF_MEMORY = symptom(
    r"cuda (?:driver )?(?P<what>failure|error)[ :]{1,2}(?:\d+ )?'?out of memory",
    _("the GPU had no room left for what the driver or NCCL needs"),
    lambda match: BESIDE_THE_SHARE if match["what"].lower() == "failure" else _FULL_ALREADY,
)

SYMPTOMS = (
    NO_BLOCKS,
    *NO_ROOM,
    symptom(
        r"free memory on device (?:\S+ )?\((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on startup is"
        r" less than [^(]{0,80}\((?P<share>[\d.]+), (?P<want>[\d.]+) GiB\)",
        _("less of the GPU is free than vLLM was told to take"),
        _not_free,
    ),
    symptom(
        r"error in memory profiling",
        _("the free memory of the GPU changed while vLLM measured it"),
        Cause(
            "KVD805",
            0.9,
            _("another process on the card ended or shrank: start engines one after another"),
        ),
    ),
    symptom(
        r"cannot auto-fit max_model_len",
        _("not even one token of KV cache fits beside the weights"),
        Cause("KVD806", 0.7, _("do the weights take the whole share of the card?")),
        Cause("KVD802", 0.5, _("is --gpu-memory-utilization low?")),
    ),
    symptom(
        r"out of memory occurred when warming up (?P<what>sampler|pooler)"
        r"(?: with (?P<rows>\d+) dummy requests)?",
        _("the warm-up with --max-num-seqs requests at once took the last of the GPU"),
        lambda match: (
            Cause(
                "KVD813",
                0.9,
                _("{rows} requests at once were tried", rows=match["rows"])
                if match["rows"]
                else _("every request at once needs its own row of logits"),
                ("--max-num-seqs 64",),
            ),
            Cause("KVD802", 0.5, _("a lower --gpu-memory-utilization leaves room as well")),
        ),
    ),
    OUT_OF_MEMORY,
    OUT_OF_MEMORY_CUT,
    DRIVER_OUT_OF_MEMORY,
    symptom(
        r"too large swap space",
        _("--swap-space is more than the memory of this machine"),
        Cause("KVD919", 0.9, _("it is GiB per GPU; vLLM from 0.8 on never swaps"), ()),
    ),
    symptom(
        r"gpu memory utilization must be less than 1"
        r"|for CacheConfig.{0,40}(?:gpu_memory_utilization)?.{0,40}input should be (?:less|greater)"
        r" than .{0,200}input_value=(?P<value>[-\d.]+)",
        _("--gpu-memory-utilization is out of range"),
        Cause("KVD802", 0.95, _("it is a fraction of the card: 0.9, not 90"), ()),
    ),
    symptom(
        r"kv cache layout \S+ cannot express",
        _("this KV-cache layout does not suit the model"),
        Cause("KVD919", 0.85, _("the text names the layout to set"), ()),
    ),
    symptom(
        r"nvfp4 kv cache is not supported with MLA",
        _("this --kv-cache-dtype does not go with the model's attention"),
        Cause("KVD919", 0.9, _("use fp8, auto or nvfp4_ds_mla"), ("--kv-cache-dtype fp8",)),
    ),
    symptom(
        r"the worker already uses [\d.]+ GiB \(model weights and runtime\), more than",
        _("the weights alone take more than the share of memory that vLLM may use"),
        Cause("KVD806", 0.7, _("does the model fit into this machine's memory?")),
        Cause("KVD802", 0.5, _("is --gpu-memory-utilization low? On a CPU it caps RAM")),
    ),
    symptom(
        r"is preempted by \S+ mode because there is not enough KV cache space",
        _("requests were thrown out of the KV cache and computed again"),
        Cause("KVD809", 0.85, _("lower --max-num-seqs, or give the cache more room")),
    ),
)
