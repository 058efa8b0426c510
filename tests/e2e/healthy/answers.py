"""Answers that are whole, in every form in which good servers give them."""

from __future__ import annotations

from collections.abc import Callable

from doctor.demo.messages import Answer, Raw
from doctor.demo.sse import Pace
from tests.e2e.api import (
    Json,
    answer_of,
    chunk,
    events,
    gzipped,
    said,
    stream_of,
    whole,
)

from .scene import KEY, MODEL, Scene, healthy

_USAGE = {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}


def _streamed(name: str, *chunks: Json | str) -> None:
    def build(s: Scene) -> None:
        s.streams(*chunks)

    build.__name__ = f"stream_{name}"
    healthy()(build)


def _thinking(*thoughts: str, field: str = "reasoning_content") -> list[Json]:
    return [chunk(MODEL, {"content": None, field: thought}) for thought in thoughts]


_OPENING = chunk(MODEL, {"role": "assistant", "content": ""})
_LAST = chunk(MODEL, {}, "stop")

_streamed("that_ends_with_usage", *said(MODEL, "pong"), chunk(MODEL, None, usage=_USAGE))
_streamed(
    "with_usage_in_every_chunk",
    *({**c, "usage": _USAGE} for c in said(MODEL, "po", "ng")),
    chunk(MODEL, None, usage=_USAGE),
)
_streamed("with_usage_null", *({**c, "usage": None} for c in said(MODEL, "pong")))
_streamed("with_usage_in_the_last_choice", _OPENING, chunk(MODEL, {"content": "pong"}),
          {**_LAST, "usage": _USAGE})  # fmt: skip
_streamed("that_thinks_first", _OPENING, *_thinking("Hm", "m."), chunk(MODEL, {"content": "pong"}),
          _LAST)  # fmt: skip
_streamed("that_thinks_by_another_name", _OPENING, *_thinking("Hm", field="reasoning"),
          chunk(MODEL, {"content": "pong"}), _LAST)  # fmt: skip
_streamed("that_thinks_until_the_budget_ends", _OPENING, *_thinking(*["hm"] * 15),
          chunk(MODEL, {}, "length"))  # fmt: skip
_streamed("that_thinks_in_tags", *said(MODEL, "<think>", "Hm", "</think>", "pong"))
_streamed("cut_by_the_doctors_budget", *said(MODEL, *["word "] * 16, finish="length"))
_streamed("without_a_role", chunk(MODEL, {"content": "pong"}), _LAST)
_streamed("of_one_chunk", chunk(MODEL, {"role": "assistant", "content": "pong"}, "stop"))
_streamed("with_comments", ": keep-alive", *said(MODEL, "pong"), ": keep-alive")
_streamed("with_comments_of_a_router", ": OPENROUTER PROCESSING", *said(MODEL, "pong"))
_streamed("with_event_names", *(f"event: message\ndata: {_text}" for _text in (
    '{"id":"1","object":"chat.completion.chunk","model":"qwen3-8b","choices":[{"index":0,'
    '"delta":{"content":"pong"},"finish_reason":null}]}',
    '{"id":"1","object":"chat.completion.chunk","model":"qwen3-8b","choices":[{"index":0,'
    '"delta":{},"finish_reason":"stop"}]}',
)))  # fmt: skip
_streamed("with_identifiers", *(f"id: {n}\nretry: 1000\ndata: {_text}" for n, _text in enumerate((
    '{"id":"1","object":"chat.completion.chunk","model":"qwen3-8b","choices":[{"index":0,'
    '"delta":{"content":"pong"},"finish_reason":"stop"}]}',
))))  # fmt: skip
_streamed("that_says_why_it_stopped_twice", *said(MODEL, "pong"), _LAST)
_streamed("with_a_refusal_field", *(
    chunk(MODEL, {"content": text, "refusal": None}, logprobs=None) for text in ("po", "ng")
), _LAST)  # fmt: skip
_streamed("with_obfuscation", *({**c, "obfuscation": "xYz"} for c in said(MODEL, "pong")))
_streamed("of_an_empty_text_of_end", *said(MODEL, "pong"), chunk(MODEL, {"content": ""}))
_streamed("in_chinese", *said(MODEL, "你", "好", "！"))
_streamed("of_an_emoji", *said(MODEL, "👋🏽"))


def _bytes(name: str, change: Callable[[list[bytes]], list[bytes]], done: bool = True) -> None:
    """An ordinary stream in other bytes."""

    def build(s: Scene) -> None:
        parts = change(events(said(MODEL, "po", "ng"), done=done))
        s.shell(f"{s.api(chat=lambda body: stream_of(parts)).origin}/v1")

    build.__name__ = f"bytes_{name}"
    healthy()(build)


_bytes("with_crlf", lambda parts: [part.replace(b"\n", b"\r\n") for part in parts])
_bytes("without_a_blank", lambda parts: [part.replace(b"data: ", b"data:") for part in parts])
_bytes("at_once", lambda parts: [b"".join(parts)])
_bytes("one_by_one", lambda parts: [bytes([byte]) for byte in b"".join(parts)])
_bytes("behind_a_mark", lambda parts: [b"\xef\xbb\xbf", *parts])
_bytes("behind_empty_lines", lambda parts: [b"\n\n", *parts])


@healthy()
def whole_answer(s: Scene) -> None:
    s.machine.write(
        "kvdoctor.toml",
        f'[targets.lab]\nbase_url = "{s.engine().origin}/v1"\nmodel = "{MODEL}"\nstream = false\n',
    )


def _whole(name: str, answer: Callable[[], Answer]) -> None:
    """What a client gets that asks for no stream."""

    def build(s: Scene) -> None:
        server = s.api(chat=lambda body: answer())
        s.machine.write(
            "kvdoctor.toml",
            f'[targets.lab]\nbase_url = "{server.origin}/v1"\nmodel = "{MODEL}"\nstream = false\n',
        )

    build.__name__ = f"whole_{name}"
    healthy()(build)


_whole("that_thought", lambda: answer_of(200, whole(MODEL, reasoning_content="Hm.")))
_whole("cut_by_the_doctors_budget", lambda: answer_of(200, whole(MODEL, "wo", "length")))
_whole("that_only_thought", lambda: answer_of(
    200, whole(MODEL, None, "length", reasoning_content="Hm. " * 15)
))  # fmt: skip
_whole("packed", lambda: gzipped(answer_of(200, whole(MODEL))))
_whole("with_blanks_before", lambda: answer_of(200, "\n\n\n" + '{"id":"1","model":"qwen3-8b",'
    '"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},'
    '"finish_reason":"stop"}]}'))  # fmt: skip
_whole("with_a_mark", lambda: answer_of(200, "\ufeff" + '{"id":"1","model":"qwen3-8b",'
    '"choices":[{"index":0,"message":{"role":"assistant","content":"pong"},'
    '"finish_reason":"stop"}]}'))  # fmt: skip
_whole("with_an_empty_error", lambda: answer_of(200, {**whole(MODEL), "error": None}))
_whole("with_a_code", lambda: answer_of(200, {**whole(MODEL), "code": 0, "success": True}))


@healthy()
def length_told_by_the_end(s: Scene) -> None:
    """HTTP/1.0: the body ends with the connection."""
    head = b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    raw = head + b"".join(events(said(MODEL, "pong")))
    s.shell(f"{s.api(chat=lambda body: Raw(raw)).origin}/v1")


@healthy()
def type_with_charset(s: Scene) -> None:
    kind = (("content-type", "text/event-stream;charset=UTF-8"),)
    parts = events(said(MODEL, "pong"))
    s.shell(f"{s.api(chat=lambda body: stream_of(parts, kind)).origin}/v1")


@healthy()
def slow_first_byte(s: Scene) -> None:
    s.shell(f"{s.engine(pace=Pace(first=1.2)).origin}/v1", "EMPTY")


@healthy()
def slow_tokens(s: Scene) -> None:
    s.shell(f"{s.engine(pace=Pace(each=0.15), answer='pong').origin}/v1", "EMPTY")


@healthy()
def limits_in_headers(s: Scene) -> None:
    headers = (
        ("x-ratelimit-limit-requests", "500"),
        ("x-ratelimit-remaining-requests", "0"),
        ("x-ratelimit-reset-requests", "120ms"),
        ("retry-after", "1"),
        ("openai-processing-ms", "12"),
    )
    s.shell(f"{s.api(key=KEY, headers=headers).origin}/v1")


@healthy()
def headers_of_a_cdn(s: Scene) -> None:
    headers = (
        ("server", "cloudflare"),
        ("cf-ray", "0123456789abcdef-HKG"),
        ("cf-cache-status", "DYNAMIC"),
        ("via", "1.1 varnish, 1.1 squid"),
        ("x-cache", "MISS from squid"),
        ("set-cookie", "__cf_bm=made0up; path=/; HttpOnly"),
        ("alt-svc", 'h3=":443"; ma=86400'),
    )
    s.shell(f"{s.api(key=KEY, headers=headers).origin}/v1")


@healthy()
def many_long_headers(s: Scene) -> None:
    headers = tuple((f"x-trace-{n}", "t" * 600) for n in range(40))
    s.shell(f"{s.api(key=KEY, headers=headers).origin}/v1")


@healthy()
def claude_that_thinks(s: Scene) -> None:
    s.machine.variables |= {
        "ANTHROPIC_BASE_URL": s.stage.open(_claude).origin,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_MODEL": "claude-sonnet-4-5",
    }


async def _claude(request: object) -> Answer:
    kinds: list[Json] = [
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "content": [],
            "model": "claude-sonnet-4-5-20250929", "stop_reason": None,
            "usage": {"input_tokens": 8, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "signature_delta", "signature": "made0up"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "text_delta", "text": "pong"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
         "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]  # fmt: skip
    import json

    lines = [f"event: {kind['type']}\ndata: {json.dumps(kind)}" for kind in kinds]
    if getattr(request, "method", "") == "GET":
        return answer_of(404, {"type": "error", "error": {"type": "not_found_error"}})
    return stream_of(events(lines, done=False))


@healthy()
def refused_once_then_served(s: Scene) -> None:
    """The models list is rate-limited, the completion is not."""
    limited = answer_of(429, {"error": {"message": "Rate limit", "type": "rate_limit"}})
    s.shell(f"{s.api(models=lambda: limited).origin}/v1")


@healthy()
def streams_to_those_who_ask_only(s: Scene) -> None:
    def chat(body: Json) -> Answer:
        if body.get("stream"):
            return stream_of(events(said(MODEL, "pong")))
        return answer_of(200, whole(MODEL))

    s.shell(f"{s.api(chat=chat).origin}/v1")
