"""The measuring client on real sockets: what becomes of a stream, whatever the server does."""

from __future__ import annotations

import gzip
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from doctor.connection import Protocol
from doctor.context import Options
from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Drop, End, Handler, Hang, Request, Response, StreamResponse
from doctor.facts.store import Unavailable
from doctor.probes.streaming import Call, Shot, Streamer
from doctor.probes.trust import Trust
from doctor.secrets import Redactor

KEY = "sk-made0up0stream0made0up0stream"
EVENTS = (("content-type", "text/event-stream"),)
PIECE = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
END = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
FAILED = b'data: {"error":{"message":"the engine died","type":"server_error"}}\n\n'


async def shot_of(
    handler: Handler, *, timeout: float = 30.0, url: str = "", proxied: bool = False
) -> tuple[Shot, list[Request]]:
    """One request, and those that the server saw."""
    async with LoopbackServer(handler) as server:
        call = Call(
            Protocol.OPENAI_CHAT,
            url or f"{server.origin}/v1/chat/completions",
            (("authorization", f"Bearer {KEY}"), ("content-type", "application/json")),
            server.origin if proxied else None,
            Trust(),
            timeout,
        )
        redactor = Redactor()
        redactor.learn(KEY)
        async with Streamer(Options(), call, redactor) as streamer:
            shot = await streamer.ask('{"stream": true}')
        assert KEY not in repr(call)
        return shot, list(server.requests)


def always(answer: Answer) -> Handler:
    async def handler(_request: Request) -> Answer:
        return answer

    return handler


def stream(*chunks: bytes, ends: End = End.CLEAN, encoding: str = "identity") -> Handler:
    async def sent() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def handler(_request: Request) -> Answer:
        return StreamResponse(sent(), headers=(*EVENTS, ("content-encoding", encoding)), ends=ends)

    return handler


async def test_a_stream() -> None:
    shot, [request] = await shot_of(stream(PIECE, PIECE + PIECE, END))
    assert (shot.error, shot.status, len(shot.moments)) == ("", 200, 3)
    assert shot.ttft is not None
    assert 0 < shot.ttft <= shot.latency
    # Nothing is told of usage: the pieces count.
    assert (shot.output, shot.tokens) == (None, 3)
    assert request.header("authorization") == f"Bearer {KEY}"


async def test_a_stream_that_is_compressed_though_nobody_asked() -> None:
    packed = gzip.compress(PIECE * 2 + END)
    shot, _requests = await shot_of(stream(packed, encoding="gzip"))
    assert (shot.error, len(shot.moments)) == ("", 2)


async def test_through_a_proxy() -> None:
    url = "http://engine.example/v1/chat/completions"
    shot, [request] = await shot_of(stream(PIECE, END), url=url, proxied=True)
    assert (shot.error, request.host) == ("", "engine.example")


FATES: dict[str, tuple[Handler, str, str]] = {
    "refused": (
        always(Response(429, b'{"error":{"message":"slow down"}}')), "http-429", "slow down"
    ),
    "no stream": (
        always(Response(200, b'{"choices":[]}', (("content-type", "application/json"),))),
        "not-streamed",
        "choices",
    ),
    "an error within": (stream(PIECE, FAILED), "error-event", "the engine died"),
    "no end": (stream(PIECE, PIECE), "cut", "without an end"),
    "cut off": (stream(PIECE, ends=End.RESET), "cut", ""),
    "no token": (stream(END), "empty", "no token"),
    "closed": (always(Drop()), "cut", ""),
    "silent": (always(Hang()), "timeout", "no end after"),
    "the key comes back": (
        always(Response(401, f'{{"error":{{"message":"bad key {KEY}"}}}}'.encode())),
        "http-401",
        "bad key",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FATES)
async def test_what_became_of_it(name: str) -> None:
    handler, error, said = FATES[name]
    shot, _requests = await shot_of(handler, timeout=0.5 if name == "silent" else 30.0)
    assert shot.error == error
    assert said in shot.said
    assert KEY not in shot.said
    assert shot.latency > 0


async def test_no_redirect_takes_the_key_along() -> None:
    seen: list[Request] = []

    async def other(request: Request) -> Answer:
        seen.append(request)
        return Response(200)

    async with LoopbackServer(other) as server:
        moved = Response(307, b"", (("location", f"{server.origin}/v1/chat/completions"),))
        shot, _requests = await shot_of(always(moved))
    assert (shot.error, seen) == ("http-307", [])


async def test_nobody_listens() -> None:
    shot, _requests = await shot_of(stream(END), url="http://127.0.0.1:9/v1/chat/completions")
    assert (shot.error, shot.status, shot.ttft) == ("connect", None, None)


async def test_tls_is_checked_against_the_bundle(
    server_context: Callable[..., ssl.SSLContext], bundle: Path
) -> None:
    async with LoopbackServer(
        stream(PIECE, END), ssl_context=server_context("127.0.0.1")
    ) as server:
        url = f"https://127.0.0.1:{server.port}/v1/chat/completions"

        async def asked(trust: Trust) -> str:
            call = Call(Protocol.OPENAI_CHAT, url, (), None, trust, 30.0)
            async with Streamer(Options(), call, Redactor()) as streamer:
                return (await streamer.ask("{}")).error

        assert await asked(Trust(bundle=str(bundle))) == ""
        assert await asked(Trust()) == "connect"


async def test_a_bundle_that_is_not_there_is_told_before_anything_is_sent(tmp_path: Path) -> None:
    trust = Trust(bundle=str(tmp_path / "none.pem"))
    call = Call(Protocol.OPENAI_CHAT, "https://gateway.example/v1", (), None, trust, 30.0)
    with pytest.raises(Unavailable):
        await Streamer(Options(), call, Redactor()).__aenter__()
