"""KVD607."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.memory._plan import size
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

_MARGIN = 1.2
# Below it the window is not worth a word: lengths grow.
_FACTOR = 2
_FEWEST = 100


@check(
    code="KVD607",
    slug="window-larger-than-used",
    severity=Severity.INFO,
    hop=Hop.KV,
    needs=(facts.MEMORY,),
    blocking=False,
)
async def window_larger_than_used(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The window is more than twice what real requests need.

    What it checks: `--max-model-len` (or the model's own) against the P99 of real lengths
    (`--lengths`, at least 100 requests of a log) plus 20 %.

    Why it matters: vLLM reserves no memory for the window; it allocates all of its share and hands
    out blocks as tokens come. The window sets what one request must fit, what one runaway request
    can take from all others, and what the start-up log calls concurrency.

    How to fix: `--max-model-len` at P99 plus 20 %, rounded up, if longer requests may be refused.

    Fix safety: longer requests are refused with 400.

    References: facts/gateway-clients.md §4.4 row 15; facts/vllm.md §4.4.
    """
    case = await planned(f)
    demand, plan = case.demand, case.likely
    if demand.p99 is None:
        raise NotApplicable("the lengths of real requests are not known (--lengths)")
    if demand.requests and demand.requests < _FEWEST:
        raise NotApplicable(f"{demand.requests} requests are too few to judge a window by")
    enough = -(-int(max(demand.p99 * _MARGIN, 1)) // 1024) * 1024
    if plan.max_model_len < _FACTOR * enough or (demand.largest or 0) > enough:
        return
    full, used = plan.bytes_for(plan.max_model_len), plan.bytes_for(enough)
    yield problem(
        _(
            "Window {window}, real requests need {enough}",
            window=f"{plan.max_model_len:,}",
            enough=f"{enough:,}",
        ),
        joined(
            _(
                "99 % of requests stay below {p99} tokens. One of the full window can take {full} "
                "of KV cache, one of {enough} tokens at most {used}: {freed} stay for others.",
                p99=f"{demand.p99 + 1:,}",
                full=size(full),
                enough=f"{enough:,}",
                used=size(used),
                freed=size(full - used),
            ),
            _(
                "Write --max-model-len {enough}, if longer ones may be refused. The cache itself "
                "stays as large as it is: vLLM does not reserve it by the window.",
                enough=enough,
            ),
        ),
        evidence=(
            Evidence(
                _("lengths"),
                "",
                _(
                    "median {median}, P99 {p99}, largest {largest} tokens",
                    median=f"{demand.median or 0:,}",
                    p99=f"{demand.p99:,}",
                    largest=f"{demand.largest or 0:,}",
                ),
            ),
        ),
    )
