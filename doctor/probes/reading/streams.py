"""What the events of a stream add up to, by protocol.

Oddities of chat chunks: facts/gateway-clients.md §2.3, cases BR-112 to BR-115. Anthropic's and
the Responses API name the kind of an event in its data, so the ``event:`` line is not needed.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from doctor.connection import Protocol
from doctor.probes.reading.errorbody import ErrorBody, error_in_success
from doctor.probes.reading.jsontext import NotJson, parse, words
from doctor.probes.reading.whole import answer_in, has_other, has_reasoning, model_of, text_of
from doctor.records import dataclass

DONE = "[DONE]"
_TEXT_LIMIT = 2_000


@dataclass(slots=True)
class Told:
    """What a stream told. ``ended`` says that it said so itself; ``delta`` that at least one
    chunk was of the form that an answer has."""

    text: str = ""
    reasoning: bool = False
    other: bool = False
    finish: str | None = None
    model: str | None = None
    ended: bool = False
    delta: bool = False
    error: ErrorBody | None = None
    oddities: list[str] = field(default_factory=list)

    @property
    def content(self) -> bool:
        return bool(self.text) or self.reasoning or self.other

    def odd(self, name: str) -> None:
        if name not in self.oddities:
            self.oddities.append(name)


def told_by(events: tuple[str, ...], protocol: Protocol) -> Told:
    """Read the data of all events."""
    told = Told()
    for data in events:
        hear(told, data, protocol)
    return told


def hear(told: Told, data: str, protocol: Protocol) -> None:
    """Add the data of one event to ``told``."""
    text = data.strip()
    if text == DONE:
        told.ended = True
        return
    value = parse(text)
    if value is NotJson or not isinstance(value, dict):
        told.odd("not-json")
        return
    told.model = told.model or model_of(value)
    match protocol:
        case Protocol.OPENAI_CHAT:
            _chat(told, value)
        case Protocol.ANTHROPIC_MESSAGES:
            _messages(told, value)
        case Protocol.OPENAI_RESPONSES:
            _responses(told, value)
        case Protocol.GEMINI_GENERATE:
            _generated(told, value)


def _fail(told: Told, error: ErrorBody) -> None:
    told.odd("error-event")
    told.error = told.error or error


def _say(told: Told, text: str) -> None:
    told.text = (told.text + text)[:_TEXT_LIMIT]


def _chat(told: Told, value: dict[str, Any]) -> None:
    error = error_in_success(value)
    if error is not None:
        _fail(told, error)
        return
    if "choices" not in value:
        told.odd("choices-missing")
        return
    choices = value["choices"]
    if choices is None:
        told.odd("null-choices")
        return
    if not isinstance(choices, list) or not choices:
        told.odd("usage-only" if value.get("usage") else "empty-choices")
        return
    for choice in choices:
        if isinstance(choice, dict):
            _choice(told, choice)


def _choice(told: Told, choice: dict[str, Any]) -> None:
    finish = words(choice.get("finish_reason"), 100)
    told.finish = finish or told.finish
    error = choice.get("error")
    if isinstance(error, dict):
        _fail(told, error_in_success({"error": error}) or ErrorBody())
        return
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        if words(choice.get("text")):
            told.delta = True
            _say(told, words(choice.get("text")))
        elif not finish:
            told.odd("choice-without-delta")
        return
    told.delta = True
    _say(told, text_of(delta.get("content")))
    told.reasoning = told.reasoning or has_reasoning(delta)
    told.other = told.other or has_other(delta)


def _messages(told: Told, value: dict[str, Any]) -> None:
    kind = words(value.get("type"))
    if kind == "error" or value.get("error"):
        _fail(told, error_in_success(value) or ErrorBody())
    elif kind == "message_start":
        message = value.get("message")
        told.delta = True
        if isinstance(message, dict):
            told.model = model_of(message)
    elif kind == "content_block_start":
        block = value.get("content_block")
        block_kind = words(block.get("type")) if isinstance(block, dict) else ""
        told.other = told.other or block_kind not in ("text", "thinking", "redacted_thinking", "")
    elif kind == "content_block_delta":
        delta = value.get("delta")
        if isinstance(delta, dict):
            _say(told, words(delta.get("text")))
            told.reasoning = told.reasoning or has_reasoning(delta)
            told.other = told.other or bool(delta.get("partial_json"))
    elif kind == "message_delta":
        delta = value.get("delta")
        if isinstance(delta, dict):
            told.finish = words(delta.get("stop_reason"), 100) or told.finish
    elif kind == "message_stop":
        told.ended = True


def _responses(told: Told, value: dict[str, Any]) -> None:
    kind = words(value.get("type"))
    response = value.get("response")
    inner = response if isinstance(response, dict) else {}
    told.model = told.model or model_of(inner)
    if kind in ("error", "response.failed") or (not kind and value.get("error")):
        holder = inner if inner.get("error") else value
        _fail(told, error_in_success(holder) or ErrorBody(words(value.get("message"))))
    elif kind.startswith("response.reasoning") and kind.endswith(".delta"):
        told.reasoning = True
    elif kind in ("response.output_text.delta", "response.refusal.delta"):
        _say(told, words(value.get("delta")))
    elif kind.endswith("_call_arguments.delta"):
        told.other = True
    elif kind in ("response.completed", "response.incomplete"):
        told.ended = True
        details = inner.get("incomplete_details")
        reason = words(details.get("reason"), 100) if isinstance(details, dict) else ""
        told.finish = reason or words(inner.get("status"), 100) or told.finish
    told.delta = told.delta or kind.startswith("response.")


def _generated(told: Told, value: dict[str, Any]) -> None:
    """Every event is an answer of its own, with the next piece; the last one tells why it ends."""
    error = error_in_success(value)
    if error is not None:
        _fail(told, error)
        return
    piece = answer_in(value, Protocol.GEMINI_GENERATE)
    if piece is None:
        told.odd("usage-only" if value.get("usageMetadata") else "candidates-missing")
        return
    told.delta = True
    told.model = told.model or piece.model
    told.finish = piece.finish or told.finish
    told.reasoning = told.reasoning or piece.reasoning
    told.other = told.other or piece.other
    _say(told, piece.text)


def carries_content(data: str) -> bool:
    """Whether one event already brings something of an answer, whatever the protocol."""
    for protocol in Protocol:
        told = Told()
        hear(told, data, protocol)
        if told.content:
            return True
    return False
