"""Answers as an OpenAI-compatible upstream shapes them, in the three protocols.

The common ground of what vLLM 0.32.0 and LiteLLM 1.108 sent when they were run; the fields
of one product only are added in that product's module.
"""

from __future__ import annotations

import secrets
import time

from . import sse
from .ask import Protocol
from .tokens import Completion

Json = dict[str, object]

_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens"}


def new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(8)


def now() -> int:
    return int(time.time())


def chat_usage(done: Completion) -> Json:
    return {
        "prompt_tokens": done.prompt_tokens,
        "total_tokens": done.total_tokens,
        "completion_tokens": done.completion_tokens,
    }


def messages_usage(done: Completion) -> Json:
    return {"input_tokens": done.prompt_tokens, "output_tokens": done.completion_tokens}


def responses_usage(done: Completion) -> Json:
    return {
        "input_tokens": done.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": done.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": done.total_tokens,
    }


def chat(done: Completion) -> Json:
    message = {"role": "assistant", "content": done.text}
    return {
        "id": new_id("chatcmpl-"),
        "object": "chat.completion",
        "created": now(),
        "model": done.model,
        "choices": [{"index": 0, "message": message, "finish_reason": done.finish}],
        "usage": chat_usage(done),
    }


def chat_chunk(ident: str, model: str, delta: Json, finish: str | None = None) -> Json:
    return {
        "id": ident,
        "object": "chat.completion.chunk",
        "created": now(),
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def chat_stream(done: Completion, *, include_usage: bool) -> list[bytes]:
    ident = new_id("chatcmpl-")
    opening: Json = {"role": "assistant", "content": ""}
    chunks = [chat_chunk(ident, done.model, opening)]
    chunks += [chat_chunk(ident, done.model, {"content": piece}) for piece in done.pieces]
    chunks.append(chat_chunk(ident, done.model, {}, done.finish))
    if include_usage:
        last = chat_chunk(ident, done.model, {})
        chunks.append({**last, "choices": [], "usage": chat_usage(done)})
    return [*(sse.data(chunk) for chunk in chunks), sse.DONE]


def messages(done: Completion) -> Json:
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": done.text}],
        "model": done.model,
        "stop_reason": _STOP_REASONS[done.finish],
        "stop_sequence": None,
        "usage": messages_usage(done),
    }


def messages_stream(done: Completion, ident: str | None = None) -> list[bytes]:
    start: Json = {
        "id": ident or new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": done.model,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": done.prompt_tokens, "output_tokens": 0},
    }
    ending = {"stop_reason": _STOP_REASONS[done.finish], "stop_sequence": None}
    block = {"type": "text", "text": ""}
    events: list[Json] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "content_block": block, "index": 0},
        *(
            {
                "type": "content_block_delta",
                "delta": {"type": "text_delta", "text": piece},
                "index": 0,
            }
            for piece in done.pieces
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": messages_usage(done)},
        {"type": "message_stop"},
    ]
    return [sse.event(item) for item in events]


def responses_item(ident: str, text: str | None) -> Json:
    """The one output message; without a text it is still in progress."""
    part: Json = {"annotations": [], "text": text, "type": "output_text"}
    return {
        "id": ident,
        "content": [] if text is None else [part],
        "role": "assistant",
        "status": "in_progress" if text is None else "completed",
        "type": "message",
    }


def responses(done: Completion, budget: int | None) -> Json:
    cut = done.finish == "length"
    return {
        "id": new_id("resp_"),
        "created_at": now(),
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "instructions": None,
        "metadata": None,
        "model": done.model,
        "object": "response",
        "output": [responses_item(new_id("msg_"), done.text)],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "none",
        "tools": [],
        "top_p": 1.0,
        "max_output_tokens": budget,
        "previous_response_id": None,
        "reasoning": None,
        "status": "incomplete" if cut else "completed",
        "text": None,
        "truncation": "disabled",
        "usage": responses_usage(done),
        "user": None,
    }


def responses_stream(done: Completion, final: Json) -> list[bytes]:
    """The events that lead up to ``final``; there is no ``[DONE]`` (observed, vLLM 0.32.0)."""
    output = final["output"]
    item = output[0] if isinstance(output, list) else {}
    ident = item["id"]
    began = {
        **final,
        "output": [],
        "status": "in_progress",
        "usage": None,
        "incomplete_details": None,
    }
    at = {"item_id": ident, "output_index": 0, "content_index": 0}
    empty = {"annotations": [], "text": "", "type": "output_text"}
    full = {"annotations": [], "text": done.text, "type": "output_text"}
    events: list[Json] = [
        {"type": "response.created", "response": began},
        {"type": "response.in_progress", "response": began},
        {
            "type": "response.output_item.added",
            "item": responses_item(ident, None),
            "output_index": 0,
        },
        {"type": "response.content_part.added", **at, "part": empty},
        *({"type": "response.output_text.delta", **at, "delta": piece} for piece in done.pieces),
        {"type": "response.output_text.done", **at, "text": done.text},
        {"type": "response.content_part.done", **at, "part": full},
        {"type": "response.output_item.done", "item": item, "output_index": 0},
        # Also for a cut answer: vLLM 0.32.0 sends no response.incomplete (observed).
        {"type": "response.completed", "response": final},
    ]
    return [sse.event({**item, "sequence_number": n}) for n, item in enumerate(events)]


def plain(protocol: Protocol, done: Completion, budget: int | None) -> Json:
    match protocol:
        case Protocol.CHAT:
            return chat(done)
        case Protocol.MESSAGES:
            return messages(done)
        case Protocol.RESPONSES:
            return responses(done, budget)


def streamed(
    protocol: Protocol, done: Completion, budget: int | None, *, include_usage: bool
) -> list[bytes]:
    match protocol:
        case Protocol.CHAT:
            return chat_stream(done, include_usage=include_usage)
        case Protocol.MESSAGES:
            return messages_stream(done)
        case Protocol.RESPONSES:
            return responses_stream(done, responses(done, budget))
