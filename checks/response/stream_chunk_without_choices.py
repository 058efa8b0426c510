"""KVD512."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.connection import Protocol
from doctor.facts.answers import Exchange, OutcomeKind
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class _Oddity:
    """A kind of chunk, what code that expects `choices[0].delta` prints, and how bad it is."""

    title: Text
    python: str
    node: str
    severity: Severity


_EMPTY = (
    "IndexError: list index out of range",
    "Cannot read properties of undefined (reading 'delta')",
)
# By the names of Outcome.oddities, the gravest first.
_ODDITIES = {
    "null-choices": _Oddity(
        _("A chunk of the stream has choices: null"),
        "TypeError: 'NoneType' object is not subscriptable",
        "Cannot read properties of null (reading '0')",
        Severity.WARNING,
    ),
    "choices-missing": _Oddity(
        _("A chunk of the stream has no choices at all"),
        "TypeError: 'NoneType' object is not subscriptable",
        "Cannot read properties of undefined (reading '0')",
        Severity.WARNING,
    ),
    "choice-without-delta": _Oddity(
        _("A chunk of the stream has a choice without a delta"),
        "AttributeError: 'NoneType' object has no attribute 'content'",
        "Cannot read properties of undefined (reading 'content')",
        Severity.WARNING,
    ),
    "empty-choices": _Oddity(
        _("A chunk of the stream has an empty list of choices"), *_EMPTY, Severity.WARNING
    ),
    "usage-only": _Oddity(
        _("The stream ends with a chunk that holds the usage and no choice"),
        *_EMPTY,
        Severity.INFO,
    ),
}
_FILTER = ("prompt_filter_results", "content_filter_offsets", "content_filter_results")
# The answer has nothing else in it: then the chunk is the whole fault.
_NOTHING_ELSE = frozenset(
    {OutcomeKind.NO_CHOICES, OutcomeKind.CONTENT_EMPTY, OutcomeKind.STREAM_BROKEN}
)


@check(
    code="KVD512",
    slug="stream-chunk-without-choices",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
)
async def stream_chunk_without_choices(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A stream has chunks without `choices[0].delta`, which break code that reads it unchecked.

    What it checks: every chunk of the doctor's own stream: the content filter's results (Azure),
    `choices: null` or none, a choice without a delta. A last chunk with the usage alone is part
    of the API and named beside others only. A stream in which no chunk has choices is KVD510.

    Why it matters: the answer is whole, yet `chunk.choices[0].delta` raises in the middle of it.
    SDK helpers cope; loops written by hand do not.

    How to fix: in the loop, skip what has no choice or no delta before reading it.

    Fix safety: skipping loses nothing: such a chunk has no text.

    References: facts/gateway-clients.md §2.3; cases BR-112 to BR-115.
    """
    reply = await f.get(facts.COMPLETION)
    outcome, exchange = reply.outcome, reply.exchange
    if f.connection.protocol is not Protocol.OPENAI_CHAT:
        return
    seen = [name for name in _ODDITIES if name in outcome.oddities]
    if not seen or (seen == ["choices-missing"] and outcome.kind is OutcomeKind.NO_CHOICES):
        return
    if "error-event" in outcome.oddities and not any(map(_has_delta, exchange.events)):
        return  # an error, and what keeps the connection open until it comes
    if seen == ["usage-only"]:
        return  # as OpenAI's API ends a stream; no fault of the connection
    alone = outcome.kind in _NOTHING_ELSE and not any(map(_has_delta, exchange.events))
    oddity = _ODDITIES[seen[0]]
    yield problem(
        oddity.title,
        _explanation(seen, exchange, alone),
        evidence=tuple(_chunks(exchange)),
        severity=Severity.ERROR if alone else max(_ODDITIES[name].severity for name in seen),
        explains=("KVD510", "KVD513", "KVD515") if alone else (),
    )


def _explanation(seen: list[str], exchange: Exchange, alone: bool) -> Text:
    oddity = _ODDITIES[seen[0]]
    return _(
        '{why} Code that reads choices[0].delta prints "{python}" in Python and "{node}" in Node.'
        " Skip such chunks: `if not chunk.choices or not chunk.choices[0].delta: continue`;"
        " in JavaScript `if (!chunk.choices?.[0]?.delta) continue`.",
        why=_why(seen, exchange, alone),
        python=oddity.python,
        node=oddity.node,
    )


def _why(seen: list[str], exchange: Exchange, alone: bool) -> Text:
    if any(word in event for event in exchange.events for word in _FILTER):
        return _("It carries the results of the content filter, as Azure sends them.")
    if alone:
        return _("The stream holds nothing else.")
    return _("The answer around it is whole.")


def _chunks(exchange: Exchange) -> list[Evidence]:
    """The first chunk that has no delta where one is expected."""
    for number, event in enumerate(exchange.events, 1):
        if event.lstrip().startswith("{") and not _has_delta(event):
            return [Evidence(_("answer"), _("chunk {n}", n=number), visible(event, 300))]
    return []


def _has_delta(event: str) -> bool:
    return '"delta":' in event.replace(" ", "")
