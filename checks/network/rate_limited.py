"""KVD331: the server turns the request away because there are too many."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind
from doctor.patterns import Pattern

from ._way import READS, Way, way
from ._words import outcome_of, paragraph

CODE = "KVD331"
_PER_MODEL = Pattern(r"您已达到(?:总)?请求数限制")
_UPSTREAM = Pattern(r"上游负载已饱和|upstream|overloaded", re.I)
_TOKENS = Pattern(r"tokens? per min|\bTPM\b|input tokens", re.I)


@check(
    code=CODE,
    slug="rate-limited",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    needs=(facts.PROXY_ROUTES,),
    wants=READS,
)
async def rate_limited(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server answers 429: too many requests or tokens in too short a time.

    ## What it checks
    429 whose words do not speak of balance or quota, when to come back, and whose limit it is:
    the gateway's per address (new-api answers it without a body), per user and model, or the
    upstream's.

    ## Why it matters
    The key is good. SDKs repeat a 429 two times by themselves, which uses the limit up faster.

    ## How to fix
    Wait as long as Retry-After says, send fewer requests at once, or have the limit raised.

    ## Fix safety
    Nothing is changed.

    ## References
    https://www.rfc-editor.org/rfc/rfc6585#section-4
    """
    w = await way(f)
    if w.reply is None:
        raise Unavailable(w.no_reply)
    if w.kind is not OutcomeKind.RATE_LIMITED:
        return
    yield problem(
        _("{host} limits the rate of requests ({status})", host=w.target.host, status=w.status),
        paragraph(_whose(w), _when(w), _said(w)),
        evidence=outcome_of(w),
    )


def _said(w: Way) -> str:
    assert w.reply is not None
    message = w.reply.outcome.message
    return _("It says: “{message}”.", message=visible(message, 300)) if message else ""


def _whose(w: Way) -> Text:
    assert w.reply is not None
    text = f"{w.reply.outcome.message} {w.reply.exchange.body[:500]}"
    if not w.reply.exchange.body.strip():
        return _(
            "The answer has no body: likely the gateway's limit per address, which all programs "
            "behind the same address share, or its limit per user and model."
        )
    if _PER_MODEL.search(text):
        return _("It is the gateway's limit for this user and model.")
    if _TOKENS.search(text):
        return _("It is a limit of tokens in a time, so shorter prompts help as well.")
    if _UPSTREAM.search(text):
        return _("It is the limit of the provider behind the gateway, not your key's.")
    return _("The key and the address are good.")


def _when(w: Way) -> Text:
    assert w.reply is not None
    after = w.reply.outcome.retry_after
    if after is None:
        return _("It does not say when to come back; double the pause with every retry.")
    if after.strip().isdecimal():
        return _("Come back in {seconds} s (Retry-After).", seconds=after.strip())
    return _("Come back at {time} (Retry-After).", time=visible(after, 60))
