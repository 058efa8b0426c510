"""KVD510."""

from __future__ import annotations

import enum
import json
from collections.abc import AsyncIterator
from typing import Any

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
from doctor.facts.answers import Exchange, OutcomeKind, SdkAnswer

_KINDS = frozenset({OutcomeKind.NO_CHOICES, OutcomeKind.EMPTY_BODY, OutcomeKind.NOT_JSON})
# The list that an answer is read from, by protocol.
_HEART = {
    Protocol.OPENAI_CHAT: "choices",
    Protocol.OPENAI_RESPONSES: "output",
    Protocol.ANTHROPIC_MESSAGES: "content",
    Protocol.GEMINI_GENERATE: "candidates",
}


_BY_OBJECT = {
    "response": Protocol.OPENAI_RESPONSES,
    "chat.completion": Protocol.OPENAI_CHAT,
}
_NAMES = {
    Protocol.OPENAI_CHAT: _("an answer of the chat completions API"),
    Protocol.OPENAI_RESPONSES: _("an answer of the OpenAI Responses API"),
    Protocol.ANTHROPIC_MESSAGES: _("an answer of the Anthropic Messages API"),
    Protocol.GEMINI_GENERATE: _("an answer of Google's own API"),
}


class _Shape(enum.Enum):
    """The body as facts/gateway-clients.md §2.3 tells them apart."""

    MISSING = enum.auto()
    NULL_LIST = enum.auto()
    EMPTY_LIST = enum.auto()
    NOTHING_AS_JSON = enum.auto()
    NOTHING_AS_TEXT = enum.auto()
    NULL = enum.auto()
    STRING = enum.auto()
    ARRAY = enum.auto()
    EVENTS = enum.auto()
    BROKEN_JSON = enum.auto()
    TEXT = enum.auto()


# What `.choices[0]` on the answer raises: openai-python 3, openai-node 7 (facts §2.3, observed).
_PRINTS = {
    _Shape.MISSING: (
        "TypeError: 'NoneType' object is not subscriptable",
        "Cannot read properties of undefined (reading '0')",
    ),
    _Shape.NULL_LIST: (
        "TypeError: 'NoneType' object is not subscriptable",
        "Cannot read properties of null (reading '0')",
    ),
    _Shape.EMPTY_LIST: (
        "IndexError: list index out of range",
        "Cannot read properties of undefined (reading 'message')",
    ),
    _Shape.NOTHING_AS_JSON: (
        "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "Cannot read properties of undefined (reading 'choices')",
    ),
    _Shape.NOTHING_AS_TEXT: (
        "AttributeError: 'str' object has no attribute 'choices'",
        "Cannot read properties of undefined (reading '0')",
    ),
    _Shape.NULL: (
        "AttributeError: 'NoneType' object has no attribute 'choices'",
        "Cannot read properties of null (reading 'choices')",
    ),
    _Shape.STRING: (
        "AttributeError: 'str' object has no attribute 'choices'",
        "Cannot read properties of undefined (reading '0')",
    ),
    _Shape.ARRAY: (
        "AttributeError: 'list' object has no attribute 'choices'",
        "Cannot read properties of undefined (reading '0')",
    ),
    _Shape.EVENTS: (
        "AttributeError: 'str' object has no attribute 'choices'",
        "Cannot read properties of undefined (reading '0')",
    ),
    _Shape.BROKEN_JSON: (
        "JSONDecodeError",
        "Unexpected end of JSON input",
    ),
    _Shape.TEXT: (
        "AttributeError: 'str' object has no attribute 'choices'",
        "Cannot read properties of undefined (reading '0')",
    ),
}
_LANGCHAIN = {
    _Shape.MISSING: "KeyError: Response missing 'choices' key",
    _Shape.NULL_LIST: "TypeError: Received response with null value for 'choices'",
    _Shape.STRING: "ValueError: Unexpected response type from OpenAI-compatible endpoint",
    _Shape.TEXT: "ValueError: Unexpected response type from OpenAI-compatible endpoint",
    _Shape.EVENTS: "ValueError: Unexpected response type from OpenAI-compatible endpoint",
}


@check(
    code="KVD510",
    slug="response-without-choices",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
    wants=(facts.SDK,),
    explains=("KVD513", "KVD515"),
)
async def response_without_choices(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A status of 200 with a body that holds no answer.

    What it checks: the shape of the body: no `choices` (`content`, `output` or `candidates` in
    the other protocols), null or empty ones, an empty body, JSON that is no object, broken JSON.
    A web page is KVD210 and an error object KVD511.

    Why it matters: SDKs raise on a bad status but not on a bad body, so the program fails later
    with "reading 'choices'", "'NoneType' object is not subscriptable" and the like.

    How to fix: the body says who made it. The API of another product means another base URL or
    protocol; an empty body means something on the way that drops it.

    Fix safety: nothing is changed.

    References: facts/gateway-clients.md §2.3.
    """
    reply = await f.get(facts.COMPLETION)
    exchange = reply.exchange
    # A stream without a single event is KVD515.
    as_stream = exchange.content_type == "text/event-stream" and not exchange.events
    if reply.outcome.kind not in _KINDS or (as_stream and exchange.streamed):
        return
    heart = _HEART[f.connection.protocol]
    value = _value(exchange)
    shape = _shape(exchange, reply.outcome.oddities, value, heart)
    evidence = [
        Evidence(
            _("answer"), f"{exchange.method} {exchange.url} → {exchange.status}", _body(exchange)
        )
    ]
    if heart == "choices" and f.connection.client.startswith("openai"):
        sdk = await f.find(facts.SDK)
        if sdk is not None and sdk.error is not None:
            evidence.append(Evidence(sdk.sdk, sdk.line, _sdk_said(sdk)))
    yield problem(
        _title(shape, heart),
        _(
            "{seen} {prints}",
            seen=_seen(exchange, shape, value, f.connection.protocol),
            prints=_prints(shape, f.connection.protocol, in_chunks=bool(exchange.events)),
        ),
        evidence=tuple(evidence),
    )


def _body(exchange: Exchange) -> str:
    return visible(exchange.body or (exchange.events[0] if exchange.events else ""), 300)


class _NotJson:
    """Stands for a body that is no JSON."""


def _value(exchange: Exchange) -> Any:
    text = exchange.events[0].removeprefix("data:") if exchange.events else exchange.body
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NotJson


def _shape(exchange: Exchange, oddities: tuple[str, ...], value: Any, heart: str) -> _Shape:
    if not exchange.body.strip() and not exchange.events:
        as_json = "json" in exchange.content_type
        return _Shape.NOTHING_AS_JSON if as_json else _Shape.NOTHING_AS_TEXT
    if "sse-unasked" in oddities or exchange.body.lstrip().startswith(("data:", "event:")):
        return _Shape.EVENTS
    if value is _NotJson:
        broken = exchange.body.lstrip()[:1] in ("{", "[")
        return _Shape.BROKEN_JSON if broken else _Shape.TEXT
    if value is None:
        return _Shape.NULL
    if isinstance(value, dict):
        if heart not in value:
            return _Shape.MISSING
        return _Shape.NULL_LIST if value[heart] is None else _Shape.EMPTY_LIST
    return _Shape.ARRAY if isinstance(value, list) else _Shape.STRING


def _sdk_said(sdk: SdkAnswer) -> str:
    ended = "no chunk and no error: "
    if sdk.message.startswith(ended):
        return _("no chunk and no error: {seen}", seen=sdk.message.removeprefix(ended))
    return f"{sdk.error}: {sdk.message}"


def _title(shape: _Shape, heart: str) -> Text:
    if shape in (_Shape.NOTHING_AS_JSON, _Shape.NOTHING_AS_TEXT):
        return _("The answer is 200 with an empty body")
    if shape is _Shape.NULL_LIST:
        return _("The answer has {name}: null", name=heart)
    if shape is _Shape.EMPTY_LIST:
        return _("The answer has an empty list of {name}", name=heart)
    if shape is _Shape.BROKEN_JSON:
        return _("The answer is JSON that breaks off")
    if shape is _Shape.EVENTS:
        return _("The answer is a stream that was not asked for")
    return _("The answer has no {name}", name=heart)


def _seen(exchange: Exchange, shape: _Shape, value: Any, protocol: Protocol) -> Text:
    kind = exchange.content_type or _("no content type")
    if shape is _Shape.MISSING:
        keys = ", ".join(visible(str(key), 40) for key in list(value)[:8]) or _("none")
        maker = _maker(value, protocol)
        if maker is not None:
            return _(
                "It is {maker}: the request reached another API than the client speaks. Its keys:"
                " {keys}.",
                maker=maker,
                keys=keys,
            )
        return _("It is an object with the keys: {keys}.", keys=keys)
    if shape in (_Shape.NOTHING_AS_JSON, _Shape.NOTHING_AS_TEXT):
        return _("Content type: {kind}. Something on the way likely dropped the body.", kind=kind)
    if shape is _Shape.BROKEN_JSON:
        return _("It ends after {n} bytes.", n=f"{exchange.body_bytes:,}")
    if shape is _Shape.EVENTS:
        return _("It is a stream of events, sent as {kind}.", kind=kind)
    if shape in (_Shape.NULL_LIST, _Shape.EMPTY_LIST):
        return _("The server had nothing to answer with and told no reason.")
    return _(
        "Content type: {kind}; it begins: {start}.", kind=kind, start=visible(exchange.body, 80)
    )


def _maker(value: dict[str, Any], protocol: Protocol) -> Text | None:
    """The API, other than the client's, whose answers look like this."""
    kind = str(value.get("type", ""))
    if kind.startswith("message_") and protocol is not Protocol.ANTHROPIC_MESSAGES:
        return _NAMES[Protocol.ANTHROPIC_MESSAGES]
    if kind.startswith("response.") and protocol is not Protocol.OPENAI_RESPONSES:
        return _NAMES[Protocol.OPENAI_RESPONSES]
    spoken = (
        Protocol.ANTHROPIC_MESSAGES
        if value.get("type") == "message"
        else _BY_OBJECT.get(str(value.get("object")))
    )
    if spoken is not None and spoken is not protocol:
        return _NAMES[spoken]
    if "candidates" in value and protocol is not Protocol.GEMINI_GENERATE:
        return _NAMES[Protocol.GEMINI_GENERATE]
    if "done" in value and ("message" in value or "response" in value):
        return _("an answer of Ollama's own API")
    if value.get("object") == "list" and isinstance(value.get("data"), list):
        return _("a list, as GET /models has it")
    return None


def _prints(shape: _Shape, protocol: Protocol, *, in_chunks: bool) -> Text:
    if protocol is Protocol.ANTHROPIC_MESSAGES:
        return _('Claude Code says "API returned an empty or malformed response (HTTP 200)" to it.')
    if protocol is Protocol.OPENAI_RESPONSES:
        return _(
            'Codex says "stream disconnected before completion: stream closed before'
            ' response.completed" to it.'
        )
    if protocol is Protocol.GEMINI_GENERATE:
        if shape in (_Shape.NOTHING_AS_JSON, _Shape.NOTHING_AS_TEXT) or in_chunks:
            return _('Gemini CLI says "Model stream ended without a finish reason." to it.')
        return _('Gemini CLI says "Incomplete JSON segment at the end" to it.')
    python, node = _PRINTS[shape]
    if in_chunks:
        return _(
            'Every chunk is like that: choices[0] prints "{python}" in Python, "{node}" in Node.',
            python=python,
            node=node,
        )
    langchain = _LANGCHAIN.get(shape)
    if langchain is None:
        return _(
            'Python prints "{python}", Node "{node}"; with streaming both get no chunk and no'
            " error.",
            python=python,
            node=node,
        )
    return _(
        'Python prints "{python}", Node "{node}", LangChain "{langchain}"; with streaming the SDKs'
        ' get no chunk and no error, LangChain "No generation chunks were returned".',
        python=python,
        node=node,
        langchain=langchain,
    )
