"""KVD803."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.memory._plan import memory_evidence, size, sure
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    joined,
    planned,
    problem,
)


@check(
    code="KVD803",
    slug="window-over-capacity",
    severity=Severity.ERROR,
    hop=Hop.KV,
    needs=(facts.MEMORY,),
)
async def window_over_capacity(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """One request of `--max-model-len` tokens does not fit into the KV cache.

    What it checks: what vLLM itself checks at start: the blocks of one request of full length, by
    the model's own layers, against the cache less the one block that the pool keeps back.

    Why it matters: vLLM stops with "To serve at least one request with the model's max seq len".

    How to fix: a shorter `--max-model-len` (`-1` lets vLLM choose it from 0.14 on), an fp8 cache,
    a larger share of the GPU, or more GPUs.

    Fix safety: a shorter window refuses longer requests. An fp8 cache changes answers a little.

    References: facts/vllm.md §§4.4, 5.1; vllm/v1/core/kv_cache_utils.py@0.32.0.
    """
    case = await planned(f)
    plan = case.likely
    if plan.usable is None or not plan.groups:
        raise NotApplicable("it is not known how much memory there is")
    if plan.one_request_fits or (case.weights is None and not case.exact):
        return
    from doctor.memory.plan import longest_that_fits

    best = not case.best.one_request_fits
    longest = longest_that_fits(plan, max(0, plan.usable))
    yield problem(
        _("One request of {length} tokens does not fit", length=f"{plan.max_model_len:,}")
        if best
        else _(
            "One request of {length} tokens likely does not fit", length=f"{plan.max_model_len:,}"
        ),
        joined(
            _(
                "It takes {need} of KV cache on each GPU, and {have} is {likely}left for it.",
                need=size(plan.bytes_for(plan.max_model_len)),
                have=size(max(0, plan.usable)),
                likely="" if case.exact else _("likely "),
            ),
            _("vLLM stops: 'To serve at least one request with the model's max seq len …'.")
            if best
            else _("vLLM's start-up log tells what is really left."),
            _("The longest that fits is {length}.", length=f"{longest:,}")
            if longest
            else _("Not even a short request fits."),
        ),
        evidence=memory_evidence(case),
        # What only likely does not fit must not fail a build.
        severity=None if best else Severity.WARNING,
        confidence=sure(case),
    )
