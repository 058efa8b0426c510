"""What a client asks for, read from the body of any of the three protocols."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Protocol(StrEnum):
    """The API shapes a model is asked through."""

    CHAT = "chat"
    MESSAGES = "messages"
    RESPONSES = "responses"


PATHS = {
    "/v1/chat/completions": Protocol.CHAT,
    "/v1/messages": Protocol.MESSAGES,
    "/v1/responses": Protocol.RESPONSES,
}

_BUDGET_FIELDS = {
    # max_completion_tokens goes before max_tokens (facts: vllm.md 2.4).
    Protocol.CHAT: ("max_completion_tokens", "max_tokens"),
    Protocol.MESSAGES: ("max_tokens",),
    Protocol.RESPONSES: ("max_output_tokens",),
}


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for an answer."""

    protocol: Protocol
    model: str
    contents: tuple[str, ...]
    budget: int | None
    budget_field: str
    stream: bool
    include_usage: bool


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def contents_of(protocol: Protocol, body: dict[str, object]) -> tuple[str, ...]:
    """The texts of the conversation, system prompt first."""
    if protocol is Protocol.RESPONSES:
        given = body.get("input")
        turns = [given] if isinstance(given, str) else given
        first = [_text(body["instructions"])] if body.get("instructions") else []
    else:
        turns = body.get("messages")
        first = [_text(body["system"])] if body.get("system") else []
    if not isinstance(turns, list):
        turns = []
    return (*first, *(_text(t.get("content")) if isinstance(t, dict) else _text(t) for t in turns))


def read(protocol: Protocol, body: dict[str, object]) -> Ask:
    """The request behind a body that passed validation."""
    fields = _BUDGET_FIELDS[protocol]
    field = next((name for name in fields if body.get(name) is not None), fields[-1])
    budget = body.get(field)
    options = body.get("stream_options")
    return Ask(
        protocol,
        str(body.get("model") or ""),
        contents_of(protocol, body),
        budget if isinstance(budget, int) else None,
        field,
        body.get("stream") is True,
        isinstance(options, dict) and options.get("include_usage") is True,
    )
