"""KVD707."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import READS, percent, whole
from checks.prefix._live import Use, is_low, too_short, use
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
)

# A block of so many tokens swallows most system prompts whole.
_LARGE = 256


@check(
    code="KVD707",
    slug="hit-rate-low",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=(*READS, facts.PREFIX_LOG, facts.PREFIX_PROOF),
    blocking=False,
)
async def hit_rate_low(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The prefix cache is on and hardly ever finds anything.

    What it checks: the tokens that the running engine found in its prefix cache against those it
    looked up since its start, once enough was asked. Prompts that are too short for the cache are
    KVD708's. Of a request log, whether its own answers report much less than its prompts share;
    with `--prove`, whether two of its requests hit when they are sent again.

    Why it matters: chats, agents and RAG repeat most of their prompt. Where nothing is found again,
    something at the front of the prompt changes each time, or the blocks are gone when they would
    be of use.

    How to fix: the finding names what the engine's own numbers speak for. Where they speak for the
    prompts, `kvdoctor prefix FILE` finds the place in a log of requests.

    Fix safety: nothing is changed. Work whose prompts have nothing in common has a low rate, and
    nothing is wrong with it.

    References: facts/vllm.md §§3.1, 6.
    """
    proof, log = await f.find(facts.PREFIX_PROOF), await f.find(facts.PREFIX_LOG)
    if proof is not None or log is not None:
        # Nobody but these two can tell whose fault it is.
        from checks.prefix._shared import of_log, of_proof

        for finding in of_log(log) if proof is None else of_proof(proof):
            yield finding
        return
    used = await use(f)
    if not is_low(used) or too_short(used):
        return
    yield problem(
        _("The prefix cache is on and finds {share} of the tokens", share=percent(used.rate)),
        joined(
            _(
                "{tokens} prompt tokens of {requests} requests were looked up.",
                tokens=whole(used.looked_up),
                requests=whole(used.requests),
            ),
            *_reasons(used),
        ),
        evidence=(
            used.live.seen("vllm:prefix_cache_queries_total", whole(used.looked_up)),
            used.live.seen("vllm:prefix_cache_hits_total", whole(used.rate * used.looked_up)),
        ),
        confidence=Confidence.MEDIUM,
    )


def _reasons(used: Use) -> list[Text]:
    from doctor.enginemetrics import names
    from doctor.enginemetrics.now import KV_BAND

    found: list[Text] = []
    now = used.live.before
    if used.alignment is not None and used.alignment >= _LARGE:
        found.append(
            _(
                "A prefix is found again in whole blocks of {n} tokens: what is shared at the front"
                " of the prompts may be shorter than that.",
                n=whole(used.alignment),
            )
        )
    preempted = sum(s.values.get(names.PREEMPTIONS, 0.0) for s in used.live.metrics.series)
    if preempted or (now.kv_usage or 0.0) >= KV_BAND[1]:
        found.append(
            _(
                "The cache was full at times, and then blocks are given away before they can be"
                " found again."
            )
        )
    if now.engines > 1:
        found.append(
            _(
                "{n} engines keep a cache each: a chat that is sent to another one finds nothing.",
                n=now.engines,
            )
        )
    if not found:
        found.append(
            _(
                "Likely something at the front of the prompts differs each time (a clock, an id,"
                " the order of tools), or the prompts have nothing in common. kvdoctor prefix FILE"
                " finds the place in a log of requests."
            )
        )
    return found
