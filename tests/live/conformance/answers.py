"""The shortest right answer of each protocol, so that a client is content and ends."""

from __future__ import annotations

import json
from typing import Any

JSON, SSE = "application/json", "text/event-stream"
ANSWER = "ok"
Answer = tuple[int, str, bytes]


def answer(path: str, body: dict[str, Any]) -> Answer:
    """Status, content type and body for a request by the end of its path (without a query)."""
    model = str(body.get("model", "tiny"))
    stream = body.get("stream") is True
    if path.endswith("/chat/completions"):
        return _chat_stream(model) if stream else _chat(model)
    if path.endswith("/responses"):
        return _responses_stream(model) if stream else _json(_response(model))
    if path.endswith("/messages/count_tokens"):
        return _json({"input_tokens": 1})
    if path.endswith("/messages"):
        return _messages_stream(model) if stream else _json(_message(model, [_TEXT], "end_turn"))
    if path.endswith(":streamGenerateContent"):
        return 200, SSE, _data(_GEMINI)
    if path.endswith(":generateContent"):
        return _json(_GEMINI)
    if path.endswith(":countTokens"):
        return _json({"totalTokens": 1})
    if path.endswith("/models"):
        return _json(_MODELS)
    return _json({"error": {"message": "not recorded here", "type": "not_found"}}, 404)


_TEXT = {"type": "text", "text": ANSWER}
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_MODELS = {
    "object": "list",
    "data": [{"id": "tiny", "object": "model", "created": 1, "owned_by": "test"}],
}
_GEMINI = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": ANSWER}]},
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}


def _json(value: dict[str, Any], status: int = 200) -> Answer:
    return status, JSON, json.dumps(value).encode()


def _data(*events: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def _named(*events: dict[str, Any]) -> bytes:
    """Events whose name is their type."""
    return b"".join(
        b"event: " + str(event["type"]).encode() + b"\n" + _data(event) for event in events
    )


def _chat(model: str) -> Answer:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": ANSWER},
        "finish_reason": "stop",
    }
    return _json(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [choice],
            "usage": _USAGE,
        }
    )


def _chat_stream(model: str) -> Answer:
    def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    usage = {**chunk({}), "choices": [], "usage": _USAGE}
    said = chunk({"role": "assistant", "content": ANSWER})
    return 200, SSE, _data(said, chunk({}, "stop"), usage) + b"data: [DONE]\n\n"


_ITEM = {
    "type": "message",
    "id": "msg_1",
    "status": "completed",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
}


def _response(model: str, status: str = "completed") -> dict[str, Any]:
    done = status == "completed"
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": model,
        "output": [_ITEM] if done else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        }
        if done
        else None,
    }


def _responses_stream(model: str) -> Answer:
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    empty = {**_ITEM, "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": _response(model, "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": empty},
        {"type": "response.content_part.added", **place, "part": part},
        {"type": "response.output_text.delta", **place, "delta": ANSWER},
        {"type": "response.output_text.done", **place, "text": ANSWER},
        {"type": "response.output_item.done", "output_index": 0, "item": _ITEM},
        {"type": "response.completed", "response": _response(model)},
    ]
    return 200, SSE, _named(*({**event, "sequence_number": n} for n, event in enumerate(events)))


def _message(model: str, content: list[dict[str, str]], stop: str | None) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _messages_stream(model: str) -> Answer:
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    return (
        200,
        SSE,
        _named(
            {"type": "message_start", "message": _message(model, [], None)},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": ANSWER},
            },
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ),
    )
