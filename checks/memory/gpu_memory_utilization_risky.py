"""KVD802."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.launch._say import seen
from checks.memory._plan import memory_evidence, share_is_the_fault, size
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    joined,
    launched,
    problem,
)

_FLAG = "--gpu-memory-utilization"
# facts/gateway-clients.md §4.1: above it little is left for what vLLM does not count.
_HIGH = 0.95
# So little holds no model of the usual sizes on one card.
_LOW = 0.15


@check(
    code="KVD802",
    slug="gpu-memory-utilization-risky",
    severity=Severity.ERROR,
    hop=Hop.KV,
    needs=(facts.LAUNCH,),
    wants=(facts.MEMORY,),
    explains=("KVD803", "KVD801", "KVD804"),
)
async def gpu_memory_utilization_risky(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The share of GPU memory that vLLM may use is impossible, or leaves too little.

    What it checks: `--gpu-memory-utilization`: outside 0 to 1, above 0.95, or below 0.15.
    In `kvdoctor memory` also a share that the weights do not fit, though they fit the GPU.

    Why it matters: it is a fraction; 90 or 1.5 stop vLLM ("Input should be less than or equal to
    1"). The CUDA context, NCCL and other programs live beside vLLM: at 1.0 nothing is left for
    them, and vLLM stops at once ("Free memory on device is less than desired") or runs out of
    memory under load. A very small share does not hold the weights: "No available memory for the
    cache blocks" asks for *more*, not less.

    How to fix: 0.90 to 0.92 for an engine that has the card alone. Of several on one card each
    gets its share, and the sum stays below 0.95.

    Fix safety: a larger share leaves less for other programs on the card.

    References: facts/vllm.md §§1.3, 4.5, 5.1 rows 1, 5 and 15.
    """
    launch = await launched(f)
    argument, value = launch.last(_FLAG), launch.fraction(_FLAG)
    if argument is None or value is None:
        raise NotApplicable("the share of GPU memory is vLLM's default")
    from doctor.launch.edits import replaced, valued

    evidence = (seen(launch, argument),)
    if not 0 < value <= 1:
        meant = value / 100 if 1 < value <= 100 and value >= 2 else 0.9
        yield problem(
            _("{flag} {value} is no fraction", flag=_FLAG, value=f"{value:g}"),
            joined(
                _("It must be above 0 and at most 1, and vLLM stops."),
                _("Write {meant}.", meant=f"{meant:g}"),
            ),
            evidence=evidence,
            edits=(
                replaced(argument, valued(argument, f"{meant:g}"), _("The share as a fraction.")),
            ),
        )
    elif (case := await f.find(facts.MEMORY)) is not None and share_is_the_fault(case):
        yield problem(
            _("{flag} {value} does not hold the weights", flag=_FLAG, value=f"{value:g}"),
            _(
                "They take {weights}, and {percent} % of the GPU are {share}. vLLM stops with 'No"
                " available memory for the cache blocks'. The GPU has {total}, and 0.92 is the"
                " default.",
                weights=size(case.weights.per_rank if case.weights else 0),
                percent=f"{value * 100:.0f}",
                share=size(case.budget.requested if case.budget else 0),
                total=size(case.budget.total if case.budget else 0),
            ),
            evidence=(*evidence, *memory_evidence(case)),
        )
    elif value > _HIGH:
        yield problem(
            _("{flag} {value} leaves too little", flag=_FLAG, value=f"{value:g}"),
            _(
                "The CUDA context, NCCL and whatever else uses the card live in the other {rest} %."
                " vLLM may stop at start, or run out of memory under load. 0.92 is its default.",
                rest=f"{(1 - value) * 100:.0f}",
            ),
            evidence=evidence,
            severity=Severity.WARNING,
        )
    elif value < _LOW and not launch.has("--kv-cache-memory-bytes"):
        yield problem(
            _("{flag} {value} is likely too small", flag=_FLAG, value=f"{value:g}"),
            _(
                "Weights, activations and KV cache together may use {percent} % of the card. If"
                " the weights do not fit, vLLM stops with 'No available memory for the cache"
                " blocks': then raise it.",
                percent=f"{value * 100:.0f}",
            ),
            evidence=evidence,
            severity=Severity.WARNING,
            confidence=Confidence.LOW,
        )
