"""KVD708."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks._engine import READS, Live, percent, whole
from checks.prefix._live import is_low, too_short, use
from doctor.checkapi import (
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

if TYPE_CHECKING:
    from doctor.facts.prefixproof import PrefixProof

_USUAL = 16


@check(
    code="KVD708",
    slug="prefix-shorter-than-block",
    severity=Severity.INFO,
    hop=Hop.KV,
    wants=(*READS, facts.PREFIX_PROOF),
    blocking=False,
)
async def prefix_shorter_than_block(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Most prompts are shorter than one block of the prefix cache, so that none can be found again.

    What it checks: the lengths of the prompts that the engine has seen against the number of
    tokens in whose multiples its cache works, where the hit rate is next to nothing. With
    `kvdoctor prefix FILE --prove`, what two requests of the log share.

    Why it matters: a prefix is found again in whole blocks only, and the last token of a prompt is
    always computed. Hybrid models have blocks of several hundred tokens, the CPU backend 128.

    How to fix: a smaller `--block-size`, where the model and the backend allow it. With prompts
    this short there is little to gain.

    Fix safety: nothing is changed; smaller blocks cost a little of the engine's time.

    References: facts/vllm.md §6.
    """
    proof = await f.find(facts.PREFIX_PROOF)
    if proof is not None:
        for finding in _proved(proof):
            yield finding
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
