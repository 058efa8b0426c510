"""Exchanges made of a status, headers and a body, as a server would have given them."""

from __future__ import annotations

import json
from typing import Any

from doctor.facts.answers import Exchange
from doctor.probes.sse import EventReader

URL = "https://gateway.example/v1/chat/completions"


def exchange(
    status: int | None,
    body: object = "",
    headers: dict[str, str] | None = None,
    *,
    streamed: bool = False,
    **more: Any,
) -> Exchange:
    """``body`` is text as it stands, anything else is sent as JSON."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    kind = "application/json" if not isinstance(body, str) else "text/plain"
    reader = EventReader()
    events = (*reader.feed(text.encode()), *reader.end()) if streamed else ()
    values: dict[str, Any] = {
        "purpose": "completion",
        "method": "POST",
        "url": URL,
        "status": status,
        "headers": {"content-type": kind} if headers is None else headers,
        "body": "" if events else text,
        "body_bytes": len(text.encode()),
        "events": tuple(events),
        "streamed": streamed,
    }
    return Exchange(**(values | more))


def sse(*events: object) -> str:
    """A stream of these events; text is sent as it stands."""
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return "".join(f"data: {text}\n\n" for text in texts)


def openai(message: str, kind: str | None = None, code: object = None, **more: Any) -> Any:
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **more}}


def flat(message: str, kind: str = "BadRequestError", code: int = 400) -> Any:
    """vLLM before 0.10.1."""
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def anthropic(kind: str, message: str) -> Any:
    return {"type": "error", "error": {"type": kind, "message": message}}


def chunk(*choices: object, **more: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [*choices],
    } | more


def delta(content: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    told = {} if content is None else {"content": content}
    return {"index": 0, "delta": {**told, **more}, "finish_reason": finish}


def chat(content: str | None = "ok", finish: str = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
