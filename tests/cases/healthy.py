"""Answers of a server with which all is well."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .served import Served

_CREATED = 1_760_000_000
_WORDS = ("It ", "works.")


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; the length of the body is the server's to tell."""

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict)


def as_json(value: Any, status: int = 200) -> Answer:
    body = json.dumps(value, ensure_ascii=False)
    return Answer(status, body, {"content-type": "application/json"})


def as_events(values: Iterable[Any], *, named: bool = False, done: bool = True) -> Answer:
    """A stream; ``named`` adds the ``event:`` lines of the Anthropic and Responses APIs."""
    lines = []
    for value in values:
        event = f"event: {value['type']}\n" if named else ""
        lines.append(f"{event}data: {json.dumps(value, ensure_ascii=False)}\n\n")
    if done:
        lines.append("data: [DONE]\n\n")
    return Answer(200, "".join(lines), {"content-type": "text/event-stream; charset=utf-8"})


def models_list(served: Served) -> Answer:
    entries = []
    for name in served.ids:
        entry: dict[str, Any] = {"id": name, "object": "model", "created": _CREATED}
        entry["owned_by"] = "organization"
        if served.window is not None:
            entry |= {"max_model_len": served.window, "root": served.root}
        entries.append(entry)
    return as_json({"object": "list", "data": entries})


def completion(path: str, model: str, *, stream: bool) -> Answer:
    """The answer of the API whose endpoint ``path`` ends in."""
    if path.endswith("/messages"):
        return _messages(model, stream=stream)
    if path.endswith("/responses"):
        return _responses(model, stream=stream)
    return chat(model, "".join(_WORDS), stream=stream)


def chat(model: str, text: str | None, *, stream: bool, **message: Any) -> Answer:
    """A chat completion; ``message`` are further fields of the message or the deltas."""
    finish = message.pop("finish_reason", "stop")
    usage = message.pop("usage", {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12})
    common = {"id": "chatcmpl-1", "created": _CREATED, "model": model}
    if not stream:
        whole = {"role": "assistant", "content": text, **message}
        choice = {"index": 0, "message": whole, "finish_reason": finish}
        return as_json({**common, "object": "chat.completion", "choices": [choice], "usage": usage})
    common["object"] = "chat.completion.chunk"
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{name: value} for name, value in message.items() if value]
    deltas += [{"content": text}] if text else []
    chunks = [
        {**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    last = {"index": 0, "delta": {}, "finish_reason": finish}
    return as_events([*chunks, {**common, "choices": [last], "usage": usage}])


def _messages(model: str, *, stream: bool) -> Answer:
    text = "".join(_WORDS)
    usage = {"input_tokens": 9, "output_tokens": 3}
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    if not stream:
        return as_json(message)
    begun = {**message, "content": [], "stop_reason": None}
    block = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": text}
    return as_events(
        [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
            {"type": "message_stop"},
        ],
        named=True,
        done=False,
    )


def _responses(model: str, *, stream: bool) -> Answer:
    text = "".join(_WORDS)
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant"}
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": _CREATED,
        "status": "completed",
        "model": model,
        "output": [{**item, "content": [part]}],
        "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12},
    }
    if not stream:
        return as_json(response)
    begun = {**response, "status": "in_progress", "output": []}
    return as_events(
        [
            {"type": "response.created", "response": begun},
            {"type": "response.output_text.delta", "item_id": "msg_1", "delta": text},
            {"type": "response.output_text.done", "item_id": "msg_1", "text": text},
            {"type": "response.completed", "response": response},
        ],
        named=True,
        done=False,
    )
