"""KVD905."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, vllm
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    launched,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.launch.model import Launch
    from doctor.launch.speculation import Speculation

# Heads that are trained for their target and bring a vocabulary of their own.
_HEADS = ("eagle", "medusa", "mtp", "mlp", "dflash", "dspark", "speculator")
_OWN_VOCABULARY = frozenset(
    {"ngram", "ngram_gpu", "suffix", "custom_class", "extract_hidden_states"}
)


@check(
    code="KVD905",
    slug="draft-model-mismatch",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def draft_model_mismatch(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The draft model does not suit the model that it drafts for.

    What it checks: `vocab_size` of both config.json files where they are at hand; versions that
    cannot draft with a model of its own; a draft parallel size other than the target's.

    Why it matters: the target checks the draft's tokens one by one, so both need the same
    vocabulary. vLLM 0.15.1 and later says "Target and draft model should have the same vocabulary
    size", older ones only AssertionError. V1 from 0.10.0 to 0.14.1 has no drafting by a model.

    How to fix: take a draft of the same family and vocabulary size, an EAGLE head for the
    target, or `{"method": "ngram"}`, which needs no model. `use_heterogeneous_vocab` (0.25.1 and
    later) drafts greedily across vocabularies.

    Fix safety: speculation changes speed only; without it the answers are the same.

    References: facts/vllm.md §§5.7, 7.
    """
    launch = await launched(f)
    from doctor.launch.speculation import speculation

    asked = speculation(launch)
    if not asked.asked or asked.model is None:
        raise NotApplicable("no draft model is asked for")
    method = (asked.method or "").lower()
    if method in _OWN_VOCABULARY or any(head in method for head in _HEADS):
        raise NotApplicable(f"{method} brings what it needs")
    for finding in (_vocabulary(launch, asked), _unsupported(launch, asked)):
        if finding is not None:
            yield finding


def _vocabulary(launch: Launch, asked: Speculation) -> Finding | None:
    target, draft = launch.config, launch.draft
    if target is None or draft is None or target.vocabulary is None or draft.vocabulary is None:
        return None
    if target.vocabulary == draft.vocabulary or (asked.config or {}).get("use_heterogeneous_vocab"):
        return None
    if any(head in name.lower() for name in draft.architectures for head in _HEADS):
        return None
    return problem(
        _(
            "Draft vocabulary {draft}, target vocabulary {target}",
            draft=f"{draft.vocabulary:,}",
            target=f"{target.vocabulary:,}",
        ),
        _(
            "vLLM stops: both need the same vocab_size. Take a draft whose config.json says"
            " {target}, or speculate with an n-gram, which needs no model.",
            target=f"{target.vocabulary:,}",
        ),
        evidence=(
            *(seen(launch, argument) for argument in asked.arguments[:1]),
            Evidence("config.json", visible(target.place), f"vocab_size {target.vocabulary}"),
            Evidence("config.json", visible(draft.place), f"vocab_size {draft.vocabulary}"),
        ),
    )


def _unsupported(launch: Launch, asked: Speculation) -> Finding | None:
    from doctor.launch.tables import number_of

    number = number_of(launch.version.text)
    if launch.version.assumed or number is None or not (0, 10) <= number[:2] <= (0, 14):
        return None
    config = asked.config or {}
    name = (asked.model or "").lower()
    if asked.method not in (None, "draft_model") or any(head in name for head in _HEADS):
        return None
    if not config:
        return None
    certain = asked.method == "draft_model"
    return problem(
        _("{vllm} does not draft with a model of its own", vllm=vllm(launch.version)),
        _(
            "It stops with 'Speculative decoding with draft model is not supported yet' unless"
            " {model} is an EAGLE, Medusa or MTP head. It works up to 0.9.2 and from 0.15.1 on; in"
            " between take an EAGLE head or the method ngram.",
            model=visible(asked.model or ""),
        ),
        evidence=tuple(seen(launch, argument) for argument in asked.arguments[:1]),
        severity=Severity.ERROR if certain else Severity.WARNING,
        confidence=Confidence.HIGH if certain else Confidence.MEDIUM,
    )
