"""KVD804."""

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
    code="KVD804",
    slug="concurrency-over-capacity",
    severity=Severity.WARNING,
    hop=Hop.KV,
    needs=(facts.MEMORY,),
)
async def concurrency_over_capacity(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`--max-num-seqs` admits more requests than the KV cache holds at their mean length.

    What it checks: the flag, where it is given, times what a request of the mean length
    (`--lengths`) keeps, against the cache.

    Why it matters: vLLM starts requests for which there is no room later; the newest are preempted
    and computed again from their beginning.

    How to fix: `--max-num-seqs` at what fits. vLLM's default is a ceiling, not a promise: it is
    judged only where it was chosen.

    Fix safety: more requests wait, fewer are computed twice.

    References: facts/vllm.md §4.4; facts/gateway-clients.md §4.4 row 28.
    """
    case = await planned(f)
    plan, seqs, mean = case.likely, case.options.max_num_seqs, case.demand.mean
    if plan.usable is None or seqs is None or mean is None:
        raise NotApplicable("memory, --max-num-seqs or the lengths are not known")
    from doctor.memory.advice import requests_that_fit

    fit = requests_that_fit(plan, mean)
    if fit is None or fit >= seqs:
        return
    each = plan.bytes_held(min(mean, plan.max_model_len))
    yield problem(
        _("--max-num-seqs {seqs}, the cache holds {fit}", seqs=seqs, fit=fit)
        if case.exact
        else _("--max-num-seqs {seqs}, the cache likely holds {fit}", seqs=seqs, fit=fit),
        joined(
            _(
                "{seqs} requests of {mean} tokens, the mean, need {need}; {have} is there.",
                seqs=seqs,
                mean=f"{mean:,}",
                need=size(each * seqs),
                have=size(max(0, plan.usable)),
            ),
            _("Write --max-num-seqs {fit}.", fit=fit) if fit else _("Not one fits."),
        ),
        evidence=memory_evidence(case),
        confidence=sure(case),
    )
