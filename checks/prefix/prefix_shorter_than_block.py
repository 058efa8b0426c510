"""KVD708."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks._engine import READS, Live, percent, whole
from checks.prefix._live import is_low, too_short, use
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.facts.prefixlog import PrefixLog, PrefixUnkept
    from doctor.facts.prefixproof import PrefixProof

_USUAL = 16


@check(
    code="KVD708",
    slug="prefix-shorter-than-block",
    severity=Severity.INFO,
    hop=Hop.KV,
    wants=(*READS, facts.PREFIX_LOG, facts.PREFIX_PROOF),
    blocking=False,
)
async def prefix_shorter_than_block(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Most prompts are shorter than one block of the prefix cache, so that none can be found again.

    What it checks: the lengths of the prompts that the engine has seen against the number of
    tokens in whose multiples its cache works, where the hit rate is next to nothing. With
    `kvdoctor prefix FILE --prove`, what two requests of the log share. In a log whose answers of
    Claude report that nothing was written to the cache or read from it: whether what their
    requests mark with `cache_control` is shorter than what that model caches.

    Why it matters: a prefix is found again in whole blocks only, and the last token of a prompt is
    always computed. Hybrid models have blocks of several hundred tokens, the CPU backend 128.
    Claude's models ignore a mark behind 512 to 4,096 tokens or less, and no answer says so.

    How to fix: a smaller `--block-size`, where the model and the backend allow it. With prompts
    this short there is little to gain. Of a mark: put it behind more text that stays the same.

    Fix safety: nothing is changed; smaller blocks cost a little of the engine's time.

    References: facts/vllm.md §6; bug-ops/zeph #1083, anthropics/anthropic-sdk-python #1194.
    """
    proof = await f.find(facts.PREFIX_PROOF)
    if proof is not None:
        for finding in _proved(proof):
            yield finding
        return
    log = await f.find(facts.PREFIX_LOG)
    if log is not None:
        for one in log.unkept:
            yield _unkept(one, log)
        return
    used = await use(f)
    if not is_low(used) or not too_short(used):
        return
    assert used.alignment is not None
    assert used.short is not None
    yield problem(
        _(
            "{share} of the prompts are no longer than one block of {n} tokens",
            share=percent(used.short),
            n=whole(used.alignment),
        ),
        joined(
            _("Only whole blocks are found again, so these prompts never are."),
            _advice(used.live, used.alignment),
        ),
        evidence=(
            used.live.seen("cache_config_info block_size", whole(used.alignment)),
            used.live.seen("vllm:request_prompt_tokens", _mean(used.mean_prompt)),
        ),
    )


def _unkept(one: PrefixUnkept, log: PrefixLog) -> Finding:
    model = visible(one.model)
    return problem(
        _(
            "{model} caches nothing shorter than {n} tokens, and less is marked",
            model=model,
            n=whole(one.minimum),
        )
        if one.sure
        else _(
            "{model} caches nothing shorter than {n} tokens, and likely less is marked",
            model=model,
            n=whole(one.minimum),
        ),
        joined(
            _(
                "{requests} answers report 0 tokens written to the cache and 0 read, though their"
                " requests mark a part with cache_control: about {marked} tokens at most, counted"
                " from the beginning of the prompt.",
                requests=whole(one.requests),
                marked=whole(one.marked),
            ),
            _(
                "Such a mark is passed by without an error. Put it behind more text that stays the"
                " same: tools, examples, documents, or the newest turn of a conversation."
            ),
        ),
        evidence=(
            Evidence(
                _("answers"),
                log.source,
                "cache_creation_input_tokens: 0, cache_read_input_tokens: 0",
            ),
        ),
        confidence=Confidence.HIGH if one.sure else Confidence.MEDIUM,
    )


def _proved(proof: PrefixProof) -> Iterator[Finding]:
    if proof.shown != "short" or proof.alignment is None:
        return
    from checks.prefix._proof import evidence, shared_tokens

    yield problem(
        _(
            "What two requests share is about {shared} tokens, and a block has {n}",
            shared=whole(shared_tokens(proof)),
            n=whole(proof.alignment),
        ),
        joined(
            _("Only whole blocks are found again, so these requests share nothing."),
            ""
            if proof.alignment <= _USUAL
            else _("A smaller --block-size may be possible; hybrid models fix it themselves."),
        ),
        evidence=evidence(proof),
    )


def _mean(length: float | None) -> str:
    return "" if length is None else _("mean {n}", n=whole(length))


def _advice(seen: Live, alignment: int) -> Text | str:
    chosen = seen.metrics.series[0].cache.get("user_specified_block_size") == "True"
    if alignment <= _USUAL:
        return ""
    if chosen:
        return _("--block-size was set by hand: a smaller one would let them hit.")
    return _("A smaller --block-size may be possible; hybrid models fix it themselves.")
