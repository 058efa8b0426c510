"""KVD806."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.memory._plan import memory_evidence, model_evidence, share_is_the_fault, size
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
    planned,
    problem,
)


@check(
    code="KVD806",
    slug="weights-do-not-fit",
    severity=Severity.ERROR,
    hop=Hop.KV,
    needs=(facts.MEMORY,),
    explains=("KVD803", "KVD801", "KVD804"),
)
async def weights_do_not_fit(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The weights take all that vLLM may use of the GPU.

    What it checks: the bytes of one rank's weights (from the files' headers, or computed from
    config.json) against the GPU's memory times `--gpu-memory-utilization`, with the least that
    activations and libraries need. Where the cache's size is given
    (`--kv-cache-memory-bytes`), both together against the whole GPU.

    Why it matters: nothing is left for the KV cache. vLLM runs out of memory while it loads, or
    stops with "No available memory for the cache blocks".

    How to fix: more GPUs with `--tensor-parallel-size`, a quantised checkpoint (FP8 halves, AWQ
    and GPTQ quarter the weights), or a smaller model. `--cpu-offload-gb` trades speed for room.

    Fix safety: quantisation changes answers a little; more ranks need a fast interconnect.

    References: facts/vllm.md §§4.5, 5.1.
    """
    case = await planned(f)
    budget, weights = case.budget, case.weights
    if budget is None or weights is None:
        raise NotApplicable("no GPU is named, or the weights are not known")
    if case.exact:
        cache = case.likely.available or 0
        least = budget.activations.low + budget.graphs.low + budget.libraries.low
        if weights.per_rank + cache + least > budget.total:
            yield problem(
                _("The weights and the cache that is asked for are larger than the GPU"),
                _(
                    "They take {weights} and {cache} of {total}. vLLM does not look at "
                    "--gpu-memory-utilization then, and runs out of memory.",
                    weights=size(weights.per_rank),
                    cache=size(cache),
                    total=size(budget.total),
                ),
                evidence=(model_evidence(case), *memory_evidence(case)),
            )
        return
    if budget.available.high > 0 or share_is_the_fault(case):
        return
    from doctor.memory.advice import smallest_tp

    ranks = smallest_tp(case)
    told = weights.exact or weights.per_rank > budget.total
    yield problem(
        _("The weights do not fit")
        if weights.per_rank >= budget.requested
        else _("The weights leave no room for a KV cache"),
        joined(
            _(
                "They take {weights} of each GPU, of whose {total} vLLM may use {share}.",
                weights=size(weights.per_rank),
                total=size(budget.total),
                share=size(budget.requested),
            ),
            _("vLLM stops while it loads, or with 'No available memory for the cache blocks'."),
            _("With --tensor-parallel-size {ranks} it likely fits.", ranks=ranks)
            if ranks is not None and ranks > case.options.tensor_parallel_size
            else _("A quantised checkpoint or a smaller model is needed."),
        ),
        evidence=(model_evidence(case), *memory_evidence(case)),
        confidence=Confidence.HIGH if told else Confidence.MEDIUM,
    )
