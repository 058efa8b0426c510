"""The requests of the examined client, byte for byte where a server may decide by them."""

from __future__ import annotations

import json
from typing import Any

from doctor.clients import profile
from doctor.connection import AuthHeader, Connection, Protocol
from doctor.facts.store import Facts
from doctor.records import dataclass

# A server may bill by the token; this answers "does it answer at all".
QUESTION = "ping"
OWN_MAX_TOKENS = 16

_BUDGET = {
    Protocol.OPENAI_CHAT: "max_tokens",
    Protocol.ANTHROPIC_MESSAGES: "max_tokens",
    Protocol.OPENAI_RESPONSES: "max_output_tokens",
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
            stream=connection.stream or large,
            cancel=large,
            budget=_BUDGET[connection.protocol],
        )


def headers(connection: Connection, *, key: str | None, body: bool) -> tuple[tuple[str, str], ...]:
    """The client's headers. ``key`` None or empty: no key is sent."""
    sent = dict(profile(connection.client).headers)
    sent.setdefault("accept", "application/json")
    if body:
        sent["content-type"] = "application/json"
    if key:
        name = connection.auth.value
        sent[name.value] = key if name is AuthHeader.X_API_KEY else f"Bearer {key}"
    return tuple(sent.items())


def key_of(facts: Facts) -> str | None:
    """The key as the client sends it, None where there is none or where it drops it."""
    connection = facts.connection
    if connection.key is None:
        return None
    key = profile(connection.client).prepare_key(connection.key.value.reveal())
    # A repaired key is new to the run: it must not show in what a server sends back.
    facts.run.redactor.learn(key)
    return key or None


def completion_body(protocol: Protocol, plan: Plan) -> str:
    """The smallest request that the protocol allows, as JSON text."""
    asked: dict[str, Any] = {"model": plan.model}
    if protocol is Protocol.OPENAI_RESPONSES:
        asked["input"] = QUESTION
    else:
        asked["messages"] = [{"role": "user", "content": QUESTION}]
    asked[plan.budget] = plan.max_tokens
    asked["stream"] = plan.stream
    return json.dumps(asked, ensure_ascii=False)
