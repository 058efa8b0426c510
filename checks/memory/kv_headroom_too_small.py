"""KVD801."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.memory._plan import memory_evidence, size, sure
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
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
    code="KVD801",
    slug="kv-headroom-too-small",
    severity=Severity.WARNING,
    hop=Hop.KV,
    needs=(facts.MEMORY,),
    explains=("KVD804",),
)
async def kv_headroom_too_small(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The KV cache does not hold the requests that are to run at the same time.

    What it checks: the number of requests at once (`--concurrency`) times what a request of their
    mean length (`--lengths`) keeps in the cache, against the cache.

    Why it matters: what does not fit waits, or is preempted and computed again, so that the time
    to the first token grows.

    How to fix: an fp8 cache, a larger share of the GPU, more GPUs, or fewer requests at once.

    Fix safety: see each; none changes answers but the fp8 cache, and that little.

    References: facts/vllm.md §4.4.
    """
    case = await planned(f)
    plan, demand = case.likely, case.demand
    if plan.usable is None or demand.at_once is None or demand.mean is None:
        raise NotApplicable("memory, requests at once (--concurrency) or lengths are not known")
    from doctor.memory.advice import requests_that_fit

    fit = requests_that_fit(plan, demand.mean)
    if fit is None or fit >= demand.at_once:
        return
    each = plan.bytes_held(min(demand.mean, plan.max_model_len))
    yield problem(
        _("The KV cache holds {fit} of {wanted} requests at once", fit=fit, wanted=demand.at_once)
        if case.exact
        else _(
            "The KV cache likely holds {fit} of {wanted} requests at once",
            fit=fit,
            wanted=demand.at_once,
        ),
        joined(
            _(
                "A request of {mean} tokens, the mean, keeps {each}; {wanted} of them {need}, and "
                "{have} is there.",
                mean=f"{demand.mean:,}",
                each=size(each),
                wanted=demand.at_once,
                need=size(each * demand.at_once),
                have=size(max(0, plan.usable)),
            ),
            _("The others wait or are preempted."),
        ),
        evidence=(
            Evidence(_("requests"), "", f"{demand.at_once} × {demand.mean:,} tokens"),
            *memory_evidence(case),
        ),
        confidence=sure(case),
    )
