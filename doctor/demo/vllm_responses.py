"""The Responses API of vLLM 0.32.0: field for field as a run of it answered."""

from __future__ import annotations

from . import shapes, sse
from .shapes import Json
from .tokens import Completion


def _part(text: str, logprobs: object) -> Json:
    return {"annotations": [], "text": text, "type": "output_text", "logprobs": logprobs}


def _item(ident: str, text: str | None) -> Json:
    """The output message; without a text it is still in progress."""
    return {
        "id": ident,
        "content": [] if text is None else [_part(text, None)],
        "role": "assistant",
        "status": "in_progress" if text is None else "completed",
        "type": "message",
        "phase": None,
    }


def _usage(done: Completion) -> Json:
    turns: Json = {"output_tokens_per_turn": [], "tool_output_tokens_per_turn": []}
    return {
        "input_tokens": done.prompt_tokens,
        "input_tokens_details": {
            "cached_tokens": 0,
            "cache_write_tokens": 0,
            "input_tokens_per_turn": [],
            "cached_tokens_per_turn": [],
        },
        "output_tokens": done.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0, "tool_output_tokens": 0, **turns},
        "total_tokens": done.total_tokens,
    }


def responses(done: Completion, budget: int | None) -> Json:
    cut = done.finish == "length"
    return {
        "id": shapes.new_id("resp_"),
        "created_at": shapes.now(),
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "instructions": None,
        "metadata": None,
        "model": done.model,
        "object": "response",
        "output": [_item(shapes.new_id("msg_"), done.text)],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "none",
        "tools": [],
        "top_p": 1.0,
        "background": False,
        "max_output_tokens": budget,
        "max_tool_calls": None,
        "previous_response_id": None,
        "prompt": None,
        "reasoning": None,
        "service_tier": "auto",
        "status": "incomplete" if cut else "completed",
        "text": None,
        "top_logprobs": None,
        "truncation": "disabled",
        "usage": _usage(done),
        "user": None,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "kv_transfer_params": None,
        "ec_transfer_params": None,
        "input_messages": None,
        "output_messages": None,
    }


def responses_stream(done: Completion, budget: int | None) -> list[bytes]:
    """No ``[DONE]``; and a cut answer, too, ends with response.completed (observed)."""
    final = responses(done, budget)
    ident = shapes.new_id("msg_")
    final["output"] = [_item(ident, done.text)]
    began = {
        **final,
        "incomplete_details": None,
        "output": [],
        "status": "in_progress",
        "usage": None,
    }
    at: Json = {"content_index": 0, "item_id": ident, "output_index": 0}
    heard: Json = {**at, "logprobs": []}
    events: list[tuple[str, Json]] = [
        ("created", {"response": began}),
        ("in_progress", {"response": began}),
        ("output_item.added", {"item": _item(ident, None), "output_index": 0}),
        ("content_part.added", {**at, "part": _part("", [])}),
        *(("output_text.delta", {**heard, "delta": piece}) for piece in done.pieces),
        ("output_text.done", {**heard, "text": done.text}),
        ("content_part.done", {**at, "part": _part(done.text, None)}),
        ("output_item.done", {"item": _item(ident, done.text), "output_index": 0}),
        ("completed", {"response": final}),
    ]
    return [
        sse.event(_ordered({**fields, "sequence_number": number, "type": f"response.{kind}"}))
        for number, (kind, fields) in enumerate(events)
    ]


def _ordered(event: Json) -> Json:
    """Keys as the engine writes them: by name."""
    return dict(sorted(event.items()))
