"""The way to the server: TLS with the program's trust, and its proxy."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Request, Response
from doctor.demo.proxy import ForwardProxy, ProxyMode
from doctor.facts.network import TransportFault
from doctor.facts.store import Unavailable
from doctor.tap.seen import End
from doctor.tap.trouble import trouble_of
from doctor.tap.upstream import Upstream
from tests.tap.wires import HOST, Tapped, answer, head_of, serving, tapping

pytestmark = pytest.mark.timeout(60)

GET = b"GET /v1/models?a=b HTTP/1.1\r\nHost: x\r\nconnection: close\r\n\r\n"


@pytest.fixture
def context(authority: trustme.CA) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(made)
    return made


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(GET)
    got = await reader.read()
    writer.close()
    return got


async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await head_of(reader)
    writer.write(answer(b"ok"))


async def fault_of(tap: Tapped, upstream: Upstream) -> TransportFault | None:
    with pytest.raises(ConnectionResetError):
        await ask(tap.port)
    (seen,) = await tap.until(1)
    assert seen.end is End.UNREACHED
    return trouble_of(seen, upstream)[0]


def upstream(scheme: str, port: int, proxy: str | None = None) -> Upstream:
    from doctor.context import Options
    from doctor.tap.origins import Origin

    return Upstream("test", Origin(scheme, "localhost", port), Options(), proxy)


async def test_a_server_with_tls(context: ssl.SSLContext, bundle: str) -> None:
    async with (
        serving(script, context) as server,
        tapping(server.port, scheme="https", bundle=bundle) as tap,
    ):
        reader, writer = await asyncio.open_connection(HOST, tap.port)
        writer.write(GET)
        assert await head_of(reader) == b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"
        assert await reader.readexactly(2) == b"ok"
        writer.close()
        (seen,) = await tap.until(1)

    assert bytes(server.received[0]) == GET.replace(b": x", b": localhost:%d" % server.port)
    assert seen.end is End.COMPLETE


async def test_a_server_whose_certificate_the_program_would_not_trust(
    context: ssl.SSLContext,
) -> None:
    async with (
        serving(script, context) as server,
        tapping(server.port, scheme="https") as tap,
    ):
        fault = await fault_of(tap, upstream("https", server.port))

    assert fault is TransportFault.TLS_UNTRUSTED
    assert not any(server.received)


async def test_a_server_without_tls_where_it_is_expected(bundle: str) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
        writer.close()

    async with (
        serving(plain) as server,
        tapping(server.port, scheme="https", bundle=bundle) as tap,
    ):
        fault = await fault_of(tap, upstream("https", server.port))

    assert fault is TransportFault.TLS_TO_PLAIN


async def test_a_tunnel_through_the_programs_proxy(context: ssl.SSLContext, bundle: str) -> None:
    async with serving(script, context) as server, LoopbackServer(ForwardProxy()) as proxy:
        way = f"http://127.0.0.1:{proxy.port}"
        async with tapping(server.port, scheme="https", proxy=way, bundle=bundle) as tap:
            reader, writer = await asyncio.open_connection(HOST, tap.port)
            writer.write(GET)
            await head_of(reader)
            assert await reader.readexactly(2) == b"ok"
            writer.close()
            (seen,) = await tap.until(1)

    (request,) = proxy.requests
    assert (request.method, request.target) == ("CONNECT", f"localhost:{server.port}")
    assert seen.end is End.COMPLETE


async def test_a_proxy_that_opens_no_tunnel(context: ssl.SSLContext, bundle: str) -> None:
    async with (
        serving(script, context) as server,
        LoopbackServer(ForwardProxy(mode=ProxyMode.FORBIDS)) as proxy,
    ):
        way = f"http://127.0.0.1:{proxy.port}"
        async with tapping(server.port, scheme="https", proxy=way, bundle=bundle) as tap:
            fault = await fault_of(tap, upstream("https", server.port, way))
            assert isinstance(tap.seen[0].error, Unavailable)

    assert fault is TransportFault.PROXY_REFUSES


async def test_a_proxy_takes_the_whole_address_and_its_own_login() -> None:
    asked: list[Request] = []

    async def note(request: Request) -> Response:
        asked.append(request)
        return Response(200, b"ok")

    async with LoopbackServer(note) as proxy:
        way = f"http://me:a%20b@127.0.0.1:{proxy.port}"
        async with tapping(9, proxy=way) as tap:
            got = await ask(tap.port)

    (request,) = asked
    assert got.endswith(b"ok")
    assert request.target == "http://127.0.0.1:9/v1/models?a=b"
    assert request.header("host") == "127.0.0.1:9"
    assert request.header("proxy-authorization") == "Basic bWU6YSBi"
