"""KVD710."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks._engine import READS, release
from checks.prefix._live import is_low, use
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
    problem,
)
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.token_usage import usage_of

if TYPE_CHECKING:
    from doctor.facts.prefixlog import PrefixLog
    from doctor.facts.prefixproof import PrefixProof

# Before, a hit of 0 was told as null as well (facts/vllm.md §6).
_TELLS_ZERO = (0, 24)


@check(
    code="KVD710",
    slug="cached-tokens-not-reported",
    severity=Severity.INFO,
    hop=Hop.ENGINE,
    wants=(*READS, facts.COMPLETION, facts.PREFIX_LOG, facts.PREFIX_PROOF),
    blocking=False,
)
async def cached_tokens_not_reported(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Somebody wants to know which requests hit, and no answer says so.

    What it checks: whether `usage.prompt_tokens_details` of an answer tells the cached tokens,
    where the engine's own count is low enough for somebody to want to know, or where a log is
    examined (`kvdoctor prefix FILE`) whose requests share their beginning. An engine without the
    flag is healthy: `check` says nothing where the cache is of use, or is not known.

    Why it matters: the engine's metrics are one number for all its users. Which prompt hits and
    which does not is told per answer only.

    How to fix: start vLLM with `--enable-prompt-tokens-details` (V1 leaves the field empty before
    0.9.0), SGLang with `--enable-cache-report`. vLLM's `/v1/responses` tells it without.

    Fix safety: nothing is changed; the flag adds one field to the answers.

    References: facts/vllm.md §6; vllm-project/vllm #16162.
    """
    proof = await f.find(facts.PREFIX_PROOF)
    if proof is not None:
        for finding in _proved(proof):
            yield finding
        return
    log = await f.find(facts.PREFIX_LOG)
    if log is not None:
        for finding in _of_log(log):
            yield finding
        return
    used = await use(f)
    if not is_low(used):
        return
    reply = await f.get(facts.COMPLETION)
    chat = f.connection.protocol is Protocol.OPENAI_CHAT
    if reply.outcome.kind is not OutcomeKind.ANSWERED or not chat:
        raise NotApplicable("no answer in the chat protocol")
    usage = usage_of(reply.exchange)
    if usage.prompt is None:
        raise NotApplicable("the answer tells no usage")
    if usage.cached is not None or (release(used.live.engine.version) or (0, 0)) < _TELLS_ZERO:
        return
    yield problem(
        _("Answers do not say how much of a prompt was cached"),
        _(
            "usage.prompt_tokens_details is empty. Start vLLM with --enable-prompt-tokens-details"
            " to see which requests hit the prefix cache."
        ),
        evidence=(Evidence(_("answer"), "usage.prompt_tokens_details", "null"),),
    )


def _of_log(log: PrefixLog) -> Iterator[Finding]:
    if log.reported or not log.untold:
        return
    yield problem(
        _("Answers do not say how much of a prompt was cached"),
        _(
            "{n} requests begin like earlier ones, and usage.prompt_tokens_details of their answers"
            " is null, so whether they hit stays open. vLLM tells it with"
            " --enable-prompt-tokens-details (its V1 engine from 0.9.0 on), SGLang with"
            " --enable-cache-report; meanwhile vLLM's /metrics count the hits.",
            n=f"{log.untold:,}",
        ),
        evidence=(Evidence(_("answer"), log.source, "usage.prompt_tokens_details: null"),),
    )


def _proved(proof: PrefixProof) -> Iterator[Finding]:
    if proof.shown != "not-told":
        return
    from checks.prefix._proof import evidence

    yield problem(
        _("Answers do not say how much of a prompt was cached"),
        _(
            "Nor could it be counted otherwise, so whether prompts are shared stays open. For"
            " vLLM, start it with --enable-prompt-tokens-details, or name the engine behind the"
            " gateway (engine = NAME in kvdoctor.toml), whose counters then tell."
        ),
        evidence=evidence(proof),
    )
