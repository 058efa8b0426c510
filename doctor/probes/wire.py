"""The requests of the examined client, byte for byte where a server may decide by them."""

from __future__ import annotations

import json
from typing import Any

from doctor.clients import profile
from doctor.connection import AuthHeader, Connection, Protocol
from doctor.facts.store import Facts, Unavailable
from doctor.records import dataclass
from doctor.settings.building import owner_in_clear
from doctor.text import _

# A server may bill by the token; this answers "does it answer at all".
QUESTION = "ping"
OWN_MAX_TOKENS = 16

_BUDGET = {
    Protocol.OPENAI_CHAT: "max_tokens",
    Protocol.ANTHROPIC_MESSAGES: "max_tokens",
    Protocol.OPENAI_RESPONSES: "max_output_tokens",
    Protocol.GEMINI_GENERATE: "maxOutputTokens",
}
_NAMED = {"name": "read_clock", "description": "Reads the time of day from a clock."}
_NOTHING = {"type": "object", "properties": {}}
_TOOLS: dict[Protocol, dict[str, Any]] = {
    Protocol.OPENAI_CHAT: {"type": "function", "function": {**_NAMED, "parameters": _NOTHING}},
    Protocol.OPENAI_RESPONSES: {"type": "function", **_NAMED, "parameters": _NOTHING},
    Protocol.ANTHROPIC_MESSAGES: {**_NAMED, "input_schema": _NOTHING},
    Protocol.GEMINI_GENERATE: {"functionDeclarations": [_NAMED]},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How a completion is asked for. ``budget`` is the name of the parameter that carries
    ``max_tokens``; ``cancel`` ends the stream at its first content."""

    model: str
    max_tokens: int
    stream: bool
    cancel: bool
    budget: str

    @classmethod
    def of(cls, connection: Connection, model: str) -> Plan:
        """The client's own max_tokens, where it has one: it may be what the server refuses. So
        that it costs no more than a small one, such an answer is streamed and cancelled."""
        own = connection.max_tokens
        tokens = OWN_MAX_TOKENS if own is None else own.value
        large = tokens > OWN_MAX_TOKENS
        return cls(
            model=model,
            max_tokens=tokens,
            # Google's API tells by the path whether it streams, and this client's path does.
            stream=connection.stream or large or connection.protocol is Protocol.GEMINI_GENERATE,
            cancel=large,
            budget=_BUDGET[connection.protocol],
        )


def headers(connection: Connection, *, key: str | None, body: bool) -> tuple[tuple[str, str], ...]:
    """The client's headers. ``key`` None: no key is sent, nor is the second one; empty: the second
    one alone."""
    sent = dict(profile(connection.client).headers)
    sent.setdefault("accept", "application/json")
    if body:
        sent["content-type"] = "application/json"
    if key:
        name = connection.auth.value
        sent[name.value] = f"Bearer {key}" if name is AuthHeader.BEARER else key
    if key is not None and connection.second_key is not None:
        second = connection.second_key.value.reveal().strip()
        if second:
            sent[AuthHeader.X_API_KEY.value] = second
    for header in connection.headers:
        sent[header.name.lower()] = header.value.reveal()
    return tuple(sent.items())


def key_of(facts: Facts) -> str | None:
    """The key as the client sends it, None where there is none or where it drops it; empty where
    the second one is all that it sends."""
    connection = facts.connection
    if connection.second_key is not None:
        facts.run.redactor.learn(connection.second_key.value)
    unsent = connection.unsent or connection.second_unsent
    if unsent is not None:
        raise Unavailable(
            _(
                "the client sends its {what}, which kvdoctor does not use",
                what=unsent.value.value,
            )
        )
    owner = owner_in_clear(connection.base_url.value)
    if owner is not None and (connection.key or connection.second_key or connection.headers):
        # Everybody on the way could read it; the change to https is tried all the same.
        raise Unavailable(
            _("the key of {provider} is not sent in clear text", provider=owner.label)
        )
    if connection.key is None:
        second = connection.second_key
        return None if second is None or not second.value.reveal().strip() else ""
    key = profile(connection.client).prepare_key(connection.key.value.reveal())
    # A repaired key is new to the run: it must not show in what a server sends back.
    facts.run.redactor.learn(key)
    return key or None


def completion_body(protocol: Protocol, plan: Plan, *, tools: bool = False) -> str:
    """The smallest request that the protocol allows, as JSON text.

    ``tools`` offers one tool, as an agent's requests do: an engine without a tool parser refuses
    that, and a model without tools does.
    """
    offered = {"tools": [_TOOLS[protocol]]} if tools else {}
    if protocol is Protocol.GEMINI_GENERATE:
        # The model is in the path; there is no field for streaming.
        generation = {"generationConfig": {plan.budget: plan.max_tokens}}
        turns = [{"role": "user", "parts": [{"text": QUESTION}]}]
        asked_of_google = {"contents": turns, **generation, **offered}
        return json.dumps(asked_of_google, ensure_ascii=False)
    asked: dict[str, Any] = {"model": plan.model}
    if protocol is Protocol.OPENAI_RESPONSES:
        asked["input"] = QUESTION
    else:
        asked["messages"] = [{"role": "user", "content": QUESTION}]
    asked[plan.budget] = plan.max_tokens
    asked["stream"] = plan.stream
    asked |= offered
    return json.dumps(asked, ensure_ascii=False)
