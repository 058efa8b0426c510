"""What a fault makes of an answer."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from urllib.parse import urlsplit

from . import fault_texts as texts
from . import pages, sse
from .ask import PATHS, Protocol, read
from .fault_streams import collect, spoil_stream
from .faults import Fault, Injection, Serve
from .messages import Answer, Drop, Hang, Request, Response, StreamResponse, json_response
from .shapes import Json
from .tokens import complete

_JSON = (("content-type", "application/json"),)

# The list an answer is read from, by protocol.
_HEART = {
    Protocol.CHAT: "choices",
    Protocol.MESSAGES: "content",
    Protocol.RESPONSES: "output",
}


async def inject(injection: Injection, request: Request, route: str, serve: Serve) -> Answer:
    """The answer as the fault has it."""
    replacement = _replacement(injection, request, route)
    if replacement is not None:
        return replacement
    if injection.fault is Fault.SLOW_FIRST_BYTE:
        return await _slow(injection, serve)
    if injection.fault is Fault.SSE_UNASKED:
        return await _wrong_kind(request, serve, route, stream=True)
    if injection.fault is Fault.JSON_UNASKED:
        return await _wrong_kind(request, serve, route, stream=False)
    answer = await serve()
    protocol = PATHS.get(route)
    match answer:
        case Response(status=200):
            return _spoil(injection, answer, protocol)
        case StreamResponse(status=200):
            return await spoil_stream(injection, answer, protocol)
    return answer


def _replacement(injection: Injection, request: Request, route: str) -> Answer | None:
    """The answers that need no served one; None where the fault is of another kind."""
    body = request.json_object()
    match injection.fault:
        case Fault.ERROR_IN_SUCCESS:
            return json_response(200, texts.UPSTREAM_UNREACHABLE)
        case Fault.SUCCESS_FALSE:
            return json_response(200, texts.SUCCESS_FALSE)
        case Fault.EMPTY_JSON:
            return Response(200, b"", _JSON)
        case Fault.EMPTY_TEXT:
            return Response(200, b"", (("content-type", "text/plain; charset=utf-8"),))
        case Fault.JSON_NULL:
            return Response(200, b"null", _JSON)
        case Fault.JSON_STRING:
            return Response(200, b'"ok"', _JSON)
        case Fault.JSON_ARRAY:
            return Response(200, b"[]", _JSON)
        case Fault.HTML_PAGE:
            return pages.html(200, pages.spa("Console"), (("cache-control", "no-cache"),))
        case Fault.CAPTIVE_PORTAL:
            return pages.captive_portal()
        case Fault.FIREWALL:
            return pages.waf_block()
        case Fault.HANG:
            return Hang()
        case Fault.RESET:
            return Drop(reset=True)
        case Fault.DROP:
            return Drop()
        case Fault.REDIRECT_ELSEWHERE:
            return pages.nginx(301, (("location", injection.location),))
        case Fault.REDIRECT_HTTPS:
            return pages.nginx(301, (("location", _https(request)),))
        case Fault.REDIRECT_SLASH:
            return Response(307, b"", (("location", _other_slash(request)),))
        case Fault.RATE_LIMIT_EMPTY:
            return Response(429)
        case Fault.RATE_LIMIT_RETRY_AFTER:
            after = (("retry-after", f"{injection.seconds:.0f}"),)
            return json_response(429, texts.SATURATED, after)
        case Fault.BAD_GATEWAY:
            return pages.nginx(502)
        case Fault.GATEWAY_TIMEOUT:
            return pages.nginx(504)
        case Fault.UPSTREAM_UNAVAILABLE:
            return json_response(503, texts.UPSTREAM_UNAVAILABLE)
        case Fault.UPSTREAM_UNREACHABLE:
            return json_response(500, texts.UPSTREAM_UNREACHABLE)
        case Fault.HOSTILE_ERROR:
            error = {"message": texts.HOSTILE, "type": texts.HOSTILE, "code": texts.HOSTILE}
            return json_response(400, {"error": error})
        case Fault.MAX_TOKENS_REFUSED if body.get("max_tokens") is not None:
            return json_response(400, texts.MAX_TOKENS_REFUSED)
        case Fault.MAX_COMPLETION_TOKENS_REFUSED if body.get("max_completion_tokens") is not None:
            return json_response(400, texts.MAX_COMPLETION_TOKENS_REFUSED)
        case Fault.MAX_TOKENS_CAPPED if route in PATHS:
            limit = injection.limit or 8192
            budget = read(PATHS[route], body).budget
            if budget is not None and budget > limit:
                return json_response(400, texts.max_tokens_capped(limit))
    return None


def _https(request: Request) -> str:
    return f"https://{urlsplit('//' + request.host).hostname or 'localhost'}{request.origin_form}"


def _other_slash(request: Request) -> str:
    """The same URL with the slash at the end of its path taken off, or put on."""
    path = request.path
    path = path[:-1] if path.endswith("/") else path + "/"
    query = f"?{request.query}" if request.query else ""
    return f"{'https' if request.secure else 'http'}://{request.host}{path}{query}"


async def _slow(injection: Injection, serve: Serve) -> Answer:
    answer = await serve()
    match answer:
        case Response() | StreamResponse():
            return dataclasses.replace(answer, delay=answer.delay + injection.seconds)
    await asyncio.sleep(injection.seconds)
    return answer


async def _wrong_kind(request: Request, serve: Serve, route: str, *, stream: bool) -> Answer:
    """A stream where a whole answer was asked for, or the reverse (chat only)."""
    answer = await serve()
    match answer:
        case Response(status=200) if stream and route in PATHS:
            value = json.loads(answer.body)
            return sse.stream([sse.data(value), sse.DONE])
        case StreamResponse(status=200) if not stream:
            chunks = sse.payloads(await collect(answer))
            return json_response(200, _whole(chunks))
    return answer


def _whole(chunks: list[Json]) -> Json:
    """A chat completion of a stream's chunks, as far as they go."""
    from . import shapes

    text, model = "", ""
    for chunk in chunks:
        model = str(chunk.get("model") or model)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            text += str(choice.get("delta", {}).get("content") or "")
    return shapes.chat(complete(model, text, 1, len(text) + 1))


def _spoil(injection: Injection, answer: Response, protocol: Protocol | None) -> Response:
    """A whole answer, made wrong."""
    match injection.fault:
        case Fault.TRUNCATED_JSON:
            return dataclasses.replace(answer, body=answer.body[: len(answer.body) // 2])
        case Fault.BODY_CUT:
            return dataclasses.replace(answer, cut_at=len(answer.body) // 2)
        case Fault.HUGE_BODY:
            size = injection.limit or 10 * 1024 * 1024
            return _edit(answer, lambda value: {**value, "padding": "x" * size})
    if protocol is None:
        return answer
    heart = _HEART[protocol]
    match injection.fault:
        case Fault.CHOICES_NULL:
            return _edit(answer, lambda value: {**value, heart: None})
        case Fault.CHOICES_EMPTY:
            return _edit(answer, lambda value: {**value, heart: []})
        case Fault.CHOICES_MISSING:
            return _edit(answer, lambda value: {k: v for k, v in value.items() if k != heart})
        case Fault.OTHER_MODEL:
            return _edit(answer, lambda value: {**value, "model": injection.model})
        case Fault.CUT_BY_LENGTH:
            return _edit(answer, lambda value: _finish(value, protocol))
        case Fault.HOSTILE_CONTENT:
            return _edit(answer, lambda value: _say(value, protocol, texts.HOSTILE))
        case Fault.THINKING_TOOK_BUDGET:
            return _edit(answer, lambda value: _think(_finish(value, protocol), protocol, None))
        case Fault.THINKING_AND_STOP:
            return _edit(answer, lambda value: _think(value, protocol, ""))
    return answer


def _edit(answer: Response, change: Callable[[Json], Json]) -> Response:
    try:
        value = json.loads(answer.body)
    except ValueError:
        return answer
    if not isinstance(value, dict):
        return answer
    body = json.dumps(change(value), ensure_ascii=False, separators=(",", ":")).encode()
    return dataclasses.replace(answer, body=body)


def _first(value: Json, key: str) -> Json:
    items = value.get(key)
    return items[0] if isinstance(items, list) and items else {}


def _finish(value: Json, protocol: Protocol) -> Json:
    """The answer as cut by its budget."""
    match protocol:
        case Protocol.CHAT:
            choice = {**_first(value, "choices"), "finish_reason": "length"}
            return {**value, "choices": [choice]}
        case Protocol.MESSAGES:
            return {**value, "stop_reason": "max_tokens"}
        case Protocol.RESPONSES:
            reason = {"reason": "max_output_tokens"}
            return {**value, "status": "incomplete", "incomplete_details": reason}


def _say(value: Json, protocol: Protocol, text: str) -> Json:
    """The answer with another text."""
    match protocol:
        case Protocol.CHAT:
            choice = _first(value, "choices")
            message = {**_message(choice), "content": text}
            return {**value, "choices": [{**choice, "message": message}]}
        case Protocol.MESSAGES:
            return {**value, "content": [{"type": "text", "text": text}]}
        case Protocol.RESPONSES:
            item = _first(value, "output")
            part = {**_first(item, "content"), "text": text}
            return {**value, "output": [{**item, "content": [part]}]}


def _think(value: Json, protocol: Protocol, content: str | None) -> Json:
    """The answer with thoughts and no content (cases BR-134 with null, BR-127 with "")."""
    match protocol:
        case Protocol.CHAT:
            choice = _first(value, "choices")
            message = {
                **_message(choice),
                "content": content,
                "reasoning_content": texts.THOUGHTS,
            }
            return {**value, "choices": [{**choice, "message": message}]}
        case Protocol.MESSAGES:
            thought = {"type": "thinking", "thinking": texts.THOUGHTS, "signature": ""}
            return {**value, "content": [thought]}
        case Protocol.RESPONSES:
            item = {"type": "reasoning", "summary": [], "content": []}
            return {**value, "output": [item]}


def _message(choice: Json) -> Json:
    message = choice.get("message")
    return message if isinstance(message, dict) else {}
