"""Server-sent events: writing them, and taking a stream apart again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from .messages import Headers, StreamResponse

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Pace:
    """When a stream's events leave: the first, then each further one, in seconds."""

    first: float = 0.0
    each: float = 0.0


INSTANT = Pace()


def data(value: object) -> bytes:
    """An OpenAI chunk: one ``data:`` line."""
    return b"data: " + _json(value) + b"\n\n"


def event(value: dict[str, object]) -> bytes:
    """An Anthropic or Responses event: named after its ``type``."""
    return f"event: {value['type']}\n".encode() + data(value)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def payloads(events: Iterable[bytes]) -> list[dict[str, object]]:
    """The JSON objects that a stream carried; ``[DONE]`` and comments are left out."""
    found: list[dict[str, object]] = []
    for line in b"".join(events).splitlines():
        text = line.removeprefix(b"data: ")
        if text != line and text != b"[DONE]":
            found.append(json.loads(text))
    return found


async def paced(events: Iterable[bytes], pace: Pace) -> AsyncIterator[bytes]:
    """The events, each after its pause."""
    wait = pace.first
    for item in events:
        if wait:
            await asyncio.sleep(wait)
        wait = pace.each
        yield item


def stream(events: Iterable[bytes], headers: Headers = (), pace: Pace = INSTANT) -> StreamResponse:
    """A 200 event stream."""
    kind = ("content-type", "text/event-stream; charset=utf-8")
    return StreamResponse(paced(events, pace), headers=(kind, *headers))
