"""What a whole (not streamed) body with a good status holds, by protocol.

The shapes are those of facts/gateway-clients.md §2.3.
"""

from __future__ import annotations

from typing import Any

from doctor.connection import Protocol
from doctor.probes.reading.jsontext import words
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer's parts. ``text`` is empty where there is none; ``other`` says that there is
    something else instead: a tool call, a refusal, audio."""

    text: str = ""
    reasoning: bool = False
    other: bool = False
    finish: str | None = None
    model: str | None = None


def answer_in(value: dict[str, Any], protocol: Protocol) -> Answered | None:
    """The answer, None where the list that it is read from is missing, null or empty."""
    match protocol:
        case Protocol.OPENAI_CHAT:
            return _chat(value)
        case Protocol.ANTHROPIC_MESSAGES:
            return _messages(value)
        case Protocol.OPENAI_RESPONSES:
            return _responses(value)
        case Protocol.GEMINI_GENERATE:
            return _candidates(value)


def error_in_choice(value: dict[str, Any]) -> dict[str, Any] | None:
    """OpenRouter puts an upstream's error into the choice."""
    choice = _first(value.get("choices"))
    error = choice.get("error") if choice is not None else None
    return error if isinstance(error, dict) else None


def text_of(content: Any) -> str:
    """The text of a content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(words(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def has_reasoning(holder: dict[str, Any]) -> bool:
    """vLLM, DeepSeek and OpenRouter each name the field in their own way."""
    names = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
    return any(bool(holder.get(name)) for name in names)


def has_other(holder: dict[str, Any]) -> bool:
    names = ("tool_calls", "function_call", "refusal", "audio", "images")
    return any(bool(holder.get(name)) for name in names)


def model_of(value: dict[str, Any]) -> str | None:
    return words(value.get("model"), 300) or None


def _first(items: Any) -> dict[str, Any] | None:
    first = items[0] if isinstance(items, list) and items else None
    return first if isinstance(first, dict) else None


def _chat(value: dict[str, Any]) -> Answered | None:
    choice = _first(value.get("choices"))
    if choice is None:
        return None
    message = choice.get("message")
    holder = message if isinstance(message, dict) else {}
    return Answered(
        text=text_of(holder.get("content")) or words(choice.get("text")),
        reasoning=has_reasoning(holder) or _reasoning_tokens(value),
        other=has_other(holder),
        finish=words(choice.get("finish_reason"), 100) or None,
        model=model_of(value),
    )


def _reasoning_tokens(value: dict[str, Any]) -> bool:
    usage = value.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    return isinstance(details, dict) and bool(details.get("reasoning_tokens"))


def _messages(value: dict[str, Any]) -> Answered | None:
    content = value.get("content")
    if not isinstance(content, list):
        return None
    blocks = [block for block in content if isinstance(block, dict)]
    kinds = {words(block.get("type")) for block in blocks}
    return Answered(
        text="".join(words(b.get("text")) for b in blocks if b.get("type") == "text"),
        reasoning=bool(kinds & {"thinking", "redacted_thinking"}),
        other=bool(kinds - {"text", "thinking", "redacted_thinking", ""}),
        finish=words(value.get("stop_reason"), 100) or None,
        model=model_of(value),
    )


def _responses(value: dict[str, Any]) -> Answered | None:
    output = value.get("output")
    if not isinstance(output, list):
        return None
    items = [item for item in output if isinstance(item, dict)]
    kinds = {words(item.get("type")) for item in items}
    details = value.get("incomplete_details")
    reason = words(details.get("reason"), 100) if isinstance(details, dict) else ""
    return Answered(
        text="".join(
            text_of(item.get("content")) for item in items if item.get("type") == "message"
        ),
        reasoning="reasoning" in kinds,
        other=bool(kinds - {"message", "reasoning", ""}),
        finish=reason or words(value.get("status"), 100) or None,
        model=model_of(value),
    )


def _candidates(value: dict[str, Any]) -> Answered | None:
    candidate = _first(value.get("candidates"))
    if candidate is None:
        return None
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    held = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return Answered(
        text="".join(words(part.get("text")) for part in held if not part.get("thought")),
        reasoning=any(bool(part.get("thought")) for part in held),
        other=any("functionCall" in part for part in held),
        finish=words(candidate.get("finishReason"), 100) or None,
        model=words(value.get("modelVersion"), 300) or None,
    )
