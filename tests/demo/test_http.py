"""The raw server: framing, keep-alive, and everything a decent server does not do."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from doctor.demo.http import (
    Answer,
    Drop,
    End,
    Hang,
    LoopbackServer,
    Raw,
    Request,
    Response,
    StreamResponse,
    json_response,
)


def fixed(answer: Answer) -> LoopbackServer:
    async def handler(request: Request) -> Answer:
        return answer

    return LoopbackServer(handler)


async def echo(request: Request) -> Answer:
    return json_response(
        200,
        {
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "body": request.body.decode(),
        },
    )


async def ticks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def settled(condition: Callable[[], bool]) -> None:
    """Give the other side up to two seconds."""
    for _ in range(200):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("never settled")


async def test_request_is_recorded_as_sent(http: httpx.AsyncClient) -> None:
    async with LoopbackServer(echo) as server:
        answer = await http.post(server.origin + "/v1//x%20y?a=1&a=2", content=b"{}")
        assert answer.json()["path"] == "/v1//x%20y"
        (seen,) = server.requests
        assert seen.params == {"a": ["1", "2"]}
        assert seen.header("HOST") == server.netloc
        assert seen.json() == {}


async def test_connection_is_kept_alive(http: httpx.AsyncClient) -> None:
    async with LoopbackServer(echo) as server:
        for _ in range(3):
            assert (await http.get(server.origin)).status_code == 200
        assert server.connections == 1
        assert len(server.requests) == 3


async def test_chunked_request_body(http: httpx.AsyncClient) -> None:
    async with LoopbackServer(echo) as server:
        answer = await http.post(server.origin, content=ticks(b"ab", b"cd"))
        assert answer.json()["body"] == "abcd"


async def test_head_has_no_body(http: httpx.AsyncClient) -> None:
    async with fixed(Response(200, b"12345")) as server:
        answer = await http.head(server.origin)
        assert (answer.headers["content-length"], answer.content) == ("5", b"")


async def test_ipv6_only() -> None:
    async with LoopbackServer(echo, host="::1") as server:
        assert server.origin == f"http://[::1]:{server.port}"
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(server.origin)).status_code == 200
            with pytest.raises(httpx.ConnectError):
                await client.get(f"http://127.0.0.1:{server.port}")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org"])
async def test_only_loopback_is_served(host: str) -> None:
    with pytest.raises(ValueError, match="not a loopback"):
        await LoopbackServer(echo, host=host).__aenter__()


async def test_stream_comes_in_chunks(http: httpx.AsyncClient) -> None:
    stream = StreamResponse(ticks(b"data: 1\n\n", b"data: 2\n\n"))
    async with fixed(stream) as server:
        answer = await http.get(server.origin)
        assert answer.headers["transfer-encoding"] == "chunked"
        assert answer.text == "data: 1\n\ndata: 2\n\n"
        assert server.exchanges[0].sent > len(answer.text)


@pytest.mark.parametrize("ends", [End.CUT, End.RESET])
async def test_stream_that_breaks_off(http: httpx.AsyncClient, ends: End) -> None:
    async with (
        fixed(StreamResponse(ticks(b"x"), ends=ends)) as server,
        http.stream("GET", server.origin) as answer,
    ):
        parts = answer.aiter_raw()
        assert await anext(parts) == b"x"
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await anext(parts)


async def test_stream_that_stalls(http: httpx.AsyncClient) -> None:
    async with fixed(StreamResponse(ticks(b"x"), ends=End.STALL)) as server:
        with pytest.raises(httpx.ReadTimeout):
            await http.get(server.origin, timeout=0.3)


async def test_body_cut_after_all_was_announced(http: httpx.AsyncClient) -> None:
    async with fixed(Response(200, b"0123456789", cut_at=4)) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get(server.origin)


async def test_hang_then_leave_without_noise(http: httpx.AsyncClient) -> None:
    async with fixed(Hang()) as server:
        with pytest.raises(httpx.ReadTimeout):
            await http.get(server.origin, timeout=0.2)
        await asyncio.sleep(0.05)
        assert server.exchanges[0].client_left


async def test_server_ends_though_a_client_hangs_on(http: httpx.AsyncClient) -> None:
    async with fixed(Hang()) as server:
        waiting = asyncio.create_task(http.get(server.origin, timeout=30))
        await settled(lambda: bool(server.requests))
    with pytest.raises(httpx.TransportError):
        await waiting


async def test_drop_and_reset(http: httpx.AsyncClient) -> None:
    async with fixed(Drop()) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get(server.origin)
    async with fixed(Drop(reset=True)) as server:
        with pytest.raises(httpx.ReadError):
            await http.get(server.origin)


async def test_raw_bytes(http: httpx.AsyncClient) -> None:
    async with fixed(Raw(b"HTTP/1.0 200 Fine\r\n\r\nold")) as server:
        assert (await http.get(server.origin)).text == "old"


async def test_slow_first_byte(http: httpx.AsyncClient) -> None:
    async with fixed(Response(200, b"x", delay=0.2)) as server:
        assert (await http.get(server.origin)).text == "x"
        (exchange,) = server.exchanges
        assert exchange.first_byte_at is not None
        assert exchange.first_byte_at - exchange.request.received_at >= 0.2


async def test_client_that_leaves_a_stream(http: httpx.AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.01)
            yield b"data: x\n\n"

    async with fixed(StreamResponse(endless())) as server:
        async with http.stream("GET", server.origin) as answer:
            async for _ in answer.aiter_raw():
                break
        await settled(lambda: server.exchanges[0].ended_at is not None)
        assert server.exchanges[0].client_left
        assert server.exchanges[0].ended_at is not None


async def test_expect_continue() -> None:
    async with LoopbackServer(echo) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = "POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n"
        writer.write(head.encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"hi")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        writer.close()
        await writer.wait_closed()


async def test_absolute_form_and_odd_targets() -> None:
    seen = Request("GET", "http://h:1/p/a?b=http://c/d")
    assert (seen.authority, seen.path, seen.query) == ("h:1", "/p/a", "b=http://c/d")
    assert Request("GET", "http://h").path == "/"
    assert Request("GET", "http://h?x=1").query == "x=1"
    assert Request("CONNECT", "h:443").authority == "h:443"


async def test_tls_hello_on_a_plain_port(http: httpx.AsyncClient) -> None:
    """Facts 2.1: https:// on a plain-http port is WRONG_VERSION_NUMBER for the client."""
    async with LoopbackServer(echo) as server:
        with pytest.raises(httpx.ConnectError, match=r"(?i)wrong.version.number"):
            await http.get(server.origin.replace("http:", "https:"))


async def test_what_is_no_http_gets_400() -> None:
    async with LoopbackServer(echo) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GARBAGE\r\n\r\n")
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 400 Bad Request")
        assert answer.endswith(b"Invalid HTTP request received.")
        writer.close()
        await writer.wait_closed()
        assert server.requests == []


async def test_handler_defect_is_not_hidden(http: httpx.AsyncClient) -> None:
    async def broken(request: Request) -> Answer:
        raise KeyError("defect")

    server = LoopbackServer(broken)
    with pytest.raises(KeyError):
        async with server:
            assert (await http.get(server.origin)).status_code == 500


async def test_repr_shows_no_credential() -> None:
    request = Request("GET", "/", (("authorization", "Bearer sk-secret"),), b"secret body")
    assert "secret" not in repr(request)


async def test_clients_that_vanish_leave_no_trace() -> None:
    async with fixed(Response(200, b"x" * 5_000_000)) as server:
        for _ in range(5):
            sock = socket.create_connection(("127.0.0.1", server.port))
            sock.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            await asyncio.sleep(0.01)
            with contextlib.suppress(OSError):
                sock.close()
        await asyncio.sleep(0.05)
        assert server.errors == []
