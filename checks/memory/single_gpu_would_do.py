"""KVD814."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.memory._plan import memory_evidence, size
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

# Below this share of the GPU the weights leave most of it to the cache.
_LIGHT = 0.45
_FULL_REQUESTS = 4


@check(
    code="KVD814",
    slug="single-gpu-would-do",
    severity=Severity.INFO,
    hop=Hop.KV,
    needs=(facts.MEMORY,),
    blocking=False,
)
async def single_gpu_would_do(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The model is split over GPUs although one holds it with room to spare.

    What it checks: with `--tensor-parallel-size` above 1, whether weights take less than 45 % of
    one GPU's share, and whether even by the worst estimate its cache holds the requests that are
    told (`--concurrency` and `--lengths`, spread over the GPUs), or else four of full length.

    Why it matters: ranks that share a layer talk after every layer. Without NVLink that costs more
    than it saves, and KV heads that are copied save no memory. Copies of the model side by side
    (`--data-parallel-size`) serve more requests in the same time; one split copy answers a single
    request sooner.

    How to fix: `--tensor-parallel-size 1 --data-parallel-size N`, if throughput is what matters.

    Fix safety: a single request may take longer.

    References: facts/gateway-clients.md §4.3 item 21.
    """
    case = await planned(f)
    ranks = case.options.tensor_parallel_size
    if ranks == 1 or case.budget is None or case.weights is None or case.exact:
        raise NotApplicable("the model is not split over GPUs, or no GPU is named")
    from doctor.memory.advice import requests_that_fit
    from doctor.memory.case import variant
    from doctor.memory.errors import ModelError, OptionError

    try:
        alone = variant(case, tensor_parallel_size=1, decode_context_parallel_size=1)
    except (ModelError, OptionError):
        return
    plan, budget, weights = alone.worst, alone.budget, alone.weights
    if budget is None or weights is None or plan.usable is None:
        return
    if weights.per_rank > _LIGHT * budget.requested or not plan.one_request_fits:
        return
    demand = case.demand
    if demand.at_once is not None and demand.mean is not None:
        enough = (requests_that_fit(plan, demand.mean) or 0) * ranks >= demand.at_once
    else:
        shared = plan.usable - plan.bytes_in_flight
        enough = _FULL_REQUESTS * plan.bytes_held(plan.max_model_len) <= shared
    if not enough:
        return
    yield problem(
        _("One GPU likely holds this model; {ranks} share it", ranks=ranks),
        joined(
            _(
                "On one GPU the weights take {weights} of {share}, and at least {left} is left for "
                "the KV cache.",
                weights=size(weights.per_rank),
                share=size(budget.requested),
                left=size(plan.usable),
            ),
            _(
                "For throughput, {ranks} copies side by side likely serve more: "
                "--tensor-parallel-size 1 --data-parallel-size {ranks}. For the shortest single "
                "answer the split may be right.",
                ranks=ranks,
            ),
        ),
        evidence=memory_evidence(alone),
        confidence=Confidence.MEDIUM,
    )
