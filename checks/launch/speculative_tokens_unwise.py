"""KVD906."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    launched,
    problem,
)

if TYPE_CHECKING:
    from doctor.launch.model import Launch
    from doctor.launch.speculation import Speculation

# Beyond this a draft is rarely right to its end.
_MANY = 8
# Methods whose own config tells how many (n_predict), or that look up instead of computing.
_FREE = ("mtp", "ngram", "suffix", "medusa", "mlp", "eagle", "dflash", "dspark")


@check(
    code="KVD906",
    slug="speculative-tokens-unwise",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
    blocking=False,
)
async def speculative_tokens_unwise(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The number of speculative tokens is missing, not positive, or larger than pays.

    What it checks: `num_speculative_tokens` of speculative decoding, however it is spelled.

    Why it matters: with a draft model and no number vLLM stops. Every token beyond the first
    wrong one is computed in vain, on the draft and on the target: with more than 8 an answer
    often comes later than without speculation.

    How to fix: 3 to 5 for a draft model; measure with `kvdoctor bench` before going higher. For
    MTP take a multiple of what the model predicts at once.

    Fix safety: the number changes speed only.

    References: facts/vllm.md §§5.7, 7; facts/gateway-clients.md §4.3 row 35.
    """
    launch = await launched(f)
    from doctor.launch.speculation import speculation

    asked = speculation(launch)
    if not asked.asked or asked.broken or not all(a.known for a in asked.arguments):
        raise NotApplicable("no speculation is asked for that can be read")
    finding = _missing(launch, asked) or _unwise(launch, asked)
    if finding is not None:
        yield finding


def _missing(launch: Launch, asked: Speculation) -> Finding | None:
    config = asked.config or {}
    if "num_speculative_tokens" in config or launch.open_ended:
        return None
    method = (asked.method or "").lower()
    if asked.model is None and method not in ("ngram", "suffix"):
        return None
    if any(name in method for name in ("mtp", "medusa", "mlp", "suffix")):
        return None  # the model's own config tells it
    own = "" if asked.method is None else asked.method
    return problem(
        _("num_speculative_tokens is missing"),
        _(
            "With {what} vLLM stops unless the draft's own config tells it (n_predict). Add"
            ' "num_speculative_tokens": 3.',
            what=own or _("a draft model"),
        ),
        evidence=tuple(seen(launch, argument) for argument in asked.arguments[:1]),
        severity=Severity.ERROR,
    )


def _unwise(launch: Launch, asked: Speculation) -> Finding | None:
    tokens = asked.tokens
    if tokens is None:
        return None
    method = (asked.method or "").lower()
    evidence = tuple(seen(launch, argument) for argument in asked.arguments[:2])
    if tokens <= 0:
        return problem(
            _("num_speculative_tokens is {n}", n=tokens),
            _("vLLM stops: it must be at least 1. 3 to 5 suit a draft model."),
            evidence=evidence,
            severity=Severity.ERROR,
        )
    if tokens > _MANY and asked.model is not None and not any(n in method for n in _FREE):
        return problem(
            _("{n} speculative tokens at once", n=tokens),
            _(
                "Each is drafted one after another, and all behind the first wrong one are thrown"
                " away. 3 to 5 mostly pay best; more than {many} often make answers slower.",
                many=_MANY,
            ),
            evidence=evidence,
        )
    return None
