"""What a fault makes of a stream."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from . import fault_texts as texts
from . import sse
from .ask import Protocol
from .faults import Fault, Injection
from .messages import End, StreamResponse
from .shapes import Json

_EARLY = 2

# Anthropic's documented error event.
_OVERLOADED: Json = {
    "type": "error",
    "error": {"type": "overloaded_error", "message": "Overloaded"},
}


async def collect(answer: StreamResponse) -> list[bytes]:
    """Every event of a stream, in order."""
    parts = [part async for part in answer.chunks]
    return [event + b"\n\n" for event in b"".join(parts).split(b"\n\n") if event.strip()]


async def spoil_stream(
    injection: Injection, answer: StreamResponse, protocol: Protocol | None
) -> StreamResponse:
    """The stream as the fault has it; one that is about whole answers leaves it alone."""

    def again(events: list[bytes], ends: End = End.CLEAN, first: float = 0.0) -> StreamResponse:
        pace = sse.Pace(first=first)
        return dataclasses.replace(answer, chunks=sse.paced(events, pace), ends=ends)

    match injection.fault:
        case Fault.STREAM_NEVER_STARTS:
            return again([], End.STALL)
        case Fault.STREAM_EMPTY:
            return again([])
        case Fault.STREAM_ENDS_EARLY:
            return again((await collect(answer))[:_EARLY])
        case Fault.STREAM_CUT:
            return again((await collect(answer))[:_EARLY], End.CUT)
        case Fault.STREAM_STALLS:
            return again((await collect(answer))[:_EARLY], End.STALL)
        case Fault.STREAM_BUFFERED:
            return again([b"".join(await collect(answer))], first=injection.seconds)
        case Fault.STREAM_ERROR_EVENT:
            return again([*(await collect(answer))[:_EARLY], _error(protocol)])
    if protocol is not Protocol.CHAT:
        return answer
    change = _CHAT_CHANGES.get(injection.fault)
    return again(change(await collect(answer), injection)) if change else answer


def _error(protocol: Protocol | None) -> bytes:
    """After the headers an error can only be an event (facts: gateway-clients.md 1.3)."""
    if protocol is Protocol.MESSAGES:
        return sse.event(_OVERLOADED)
    return sse.data(texts.UPSTREAM_UNREACHABLE)


def _first_chunk(events: list[bytes]) -> Json:
    chunks = sse.payloads(events)
    return chunks[0] if chunks else {}


def _edited(events: list[bytes], change: Callable[[Json], Json]) -> list[bytes]:
    return [
        sse.data(change(json.loads(item[6:]))) if item.startswith(b"data: {") else item
        for item in events
    ]


def _null_chunk(events: list[bytes], _: Injection) -> list[bytes]:
    """Case BR-112: a chunk whose choices are null, after the first content."""
    chunk = _first_chunk(events)
    null = {key: chunk.get(key) for key in ("id", "object", "model")}
    return [*events[:_EARLY], sse.data({**null, "choices": None}), *events[_EARLY:]]


def _empty_chunk(events: list[bytes], _: Injection) -> list[bytes]:
    return [sse.data({**_first_chunk(events), "choices": []}), *events]


def _usage_chunk(events: list[bytes], _: Injection) -> list[bytes]:
    """Case BR-115: the last chunk has usage only, though nobody asked for it."""
    if any("usage" in chunk for chunk in sse.payloads(events)):
        return events
    usage = {"prompt_tokens": 43, "completion_tokens": 1368, "total_tokens": 1411}
    last = sse.data({**_first_chunk(events), "choices": [], "usage": usage})
    return [*events[:-1], last, events[-1]]


def _missing(events: list[bytes], _: Injection) -> list[bytes]:
    return _edited(events, lambda chunk: {k: v for k, v in chunk.items() if k != "choices"})


def _azure_filter(events: list[bytes], _: Injection) -> list[bytes]:
    return [sse.data(texts.AZURE_FILTER), *events]


def _azure_no_delta(events: list[bytes], _: Injection) -> list[bytes]:
    return [*events[:_EARLY], sse.data(texts.AZURE_NO_DELTA), *events[_EARLY:]]


def _other_model(events: list[bytes], injection: Injection) -> list[bytes]:
    return _edited(events, lambda chunk: {**chunk, "model": injection.model})


def _cut(events: list[bytes], _: Injection) -> list[bytes]:
    return _edited(events, lambda chunk: _with_choice(chunk, _length))


def _hostile(events: list[bytes], _: Injection) -> list[bytes]:
    def say(choice: Json) -> Json:
        delta = choice.get("delta")
        if isinstance(delta, dict) and delta.get("content"):
            return {**choice, "delta": {**delta, "content": texts.HOSTILE}}
        return choice

    return _edited(events, lambda chunk: _with_choice(chunk, say))


def _thinking(events: list[bytes], _: Injection) -> list[bytes]:
    """The content becomes reasoning_content, and the budget ends before an answer."""

    def think(choice: Json) -> Json:
        delta = choice.get("delta")
        if isinstance(delta, dict) and delta.get("content"):
            choice = {**choice, "delta": {"reasoning_content": texts.THOUGHTS}}
        return _length(choice)

    return _edited(events, lambda chunk: _with_choice(chunk, think))


def _length(choice: Json) -> Json:
    return {**choice, "finish_reason": "length"} if choice.get("finish_reason") else choice


def _with_choice(chunk: Json, change: Callable[[Json], Json]) -> Json:
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return chunk
    return {**chunk, "choices": [change(choice) for choice in choices]}


_CHAT_CHANGES: dict[Fault, Callable[[list[bytes], Injection], list[bytes]]] = {
    Fault.CHOICES_NULL: _null_chunk,
    Fault.CHOICES_EMPTY: _empty_chunk,
    Fault.CHOICES_MISSING: _missing,
    Fault.STREAM_USAGE_CHUNK: _usage_chunk,
    Fault.STREAM_AZURE_FILTER: _azure_filter,
    Fault.STREAM_AZURE_NO_DELTA: _azure_no_delta,
    Fault.OTHER_MODEL: _other_model,
    Fault.CUT_BY_LENGTH: _cut,
    Fault.HOSTILE_CONTENT: _hostile,
    Fault.THINKING_TOOK_BUDGET: _thinking,
}
