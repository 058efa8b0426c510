"""KVD706."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks._engine import READS, Live, live, release
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.facts.answers import OutcomeKind

if TYPE_CHECKING:
    from doctor.facts.prefixproof import PrefixProof

# Since V1 the engine caches prefixes unless told otherwise (facts/vllm.md §1.3).
_DEFAULT_ON = (0, 8)


@check(
    code="KVD706",
    slug="prefix-caching-off",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=(*READS, facts.COMPLETION, facts.LAUNCH, facts.PREFIX_PROOF),
    blocking=False,
)
async def prefix_caching_off(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The engine computes every prompt from its first token, though it has seen it before.

    What it checks: `enable_prefix_caching` as the running engine itself tells it, or the launch
    line where one is examined. Models without attention, and those that generate nothing, are
    left alone.

    Why it matters: system prompts, tools and the history of a chat come again with every request.
    Without the cache they are computed again each time, which is most of the time to the first
    token.

    How to fix: take `--no-enable-prefix-caching` away; before 0.8 add `--enable-prefix-caching`.
    For some classes of models, such as hybrids of older versions, vLLM turns it off by itself and
    says so in its log.

    Fix safety: nothing is changed; answers stay the same, and the engine has to be restarted.

    References: facts/vllm.md §§3.2, 6.
    """
    launch = await f.find(facts.LAUNCH)
    if launch is not None:
        from checks.launch._say import seen as on_line

        argument = launch.last("--enable-prefix-caching")
        if argument is not None and launch.on("--enable-prefix-caching") is False:
            yield problem(
                _("The launch line turns prefix caching off"),
                _(
                    "Every prompt is computed from its first token, also the parts that always"
                    " repeat. Take the flag out unless it is off on purpose, as for a measurement."
                ),
                evidence=(on_line(launch, argument),),
            )
        return
    proof = await f.find(facts.PREFIX_PROOF)
    if proof is not None:
        for finding in _proved(proof):
            yield finding
        return
    seen = await live(f, twice=False)
    cache = seen.cache
    if cache is None or cache.prefix_caching is None:
        raise NotApplicable("the engine does not say whether prefixes are cached")
    if cache.attention_free:
        raise NotApplicable("the model has no attention, and so no prefix cache")
    if cache.prefix_caching:
        return
    if not await _generates(f, seen):
        raise NotApplicable("nothing was generated here yet: it may be a model for embeddings")
    yield problem(
        _("Prefix caching is off in the running engine"),
        joined(
            _("Every prompt is computed from its first token, also the parts that always repeat."),
            _how(seen.engine.version),
        ),
        evidence=(seen.seen("cache_config_info enable_prefix_caching", "False"),),
    )


def _proved(proof: PrefixProof) -> Iterator[Finding]:
    from checks.prefix._proof import evidence

    if proof.shown == "off":
        yield problem(
            _("Prefix caching is off in the running engine"),
            joined(
                _("Two requests that begin alike were both computed from their first token."),
                _how(proof.version),
            ),
            evidence=evidence(proof),
        )


async def _generates(f: DeclaredFacts, seen: Live) -> bool:
    """Models that only read, for embeddings and scores, have nothing to gain from the cache."""
    from doctor.enginemetrics import names

    if any(series.values.get(names.GENERATION_TOKENS) for series in seen.metrics.series):
        return True
    reply = await f.find(facts.COMPLETION)
    return reply is not None and reply.outcome.kind is OutcomeKind.ANSWERED


def _how(version: str | None) -> Text:
    known = release(version)
    if version is None or known is None:
        return _("Take --no-enable-prefix-caching away, or before 0.8 add --enable-prefix-caching.")
    if known < _DEFAULT_ON:
        return _(
            "vLLM {version} caches with --enable-prefix-caching only: add it.", version=version
        )
    return _(
        "vLLM {version} caches by default: either the launch line has --no-enable-prefix-caching,"
        " or vLLM turned it off for this model, which its log says.",
        version=version,
    )
