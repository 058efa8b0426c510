"""Names and sockets."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from doctor.context import Options
from doctor.demo.http import Answer, LoopbackServer, Request, json_response
from doctor.facts import (
    COMPLETION,
    DNS,
    LISTENERS,
    MODELS,
    PROXY_ROUTES,
    PROXY_TCP,
    TCP,
    TLS,
    Unavailable,
)
from doctor.facts.network import TransportFault
from doctor.probes.net import _kind
from tests.kit import connection
from tests.probes.world import IMPATIENT, TIMEOUT, route, world


async def ok(request: Request) -> Answer:
    return json_response(200, {})


async def test_localhost_is_tried_on_both_loopbacks() -> None:
    async with (
        LoopbackServer(ok) as server,
        world(connection(f"http://localhost:{server.port}/v1")) as facts,
    ):
        names = await facts.get(DNS)
        answers = await facts.get(TCP)
    assert names.error is None
    assert "127.0.0.1" in names.addresses
    seen = {answer.address: (answer.ok, answer.error) for answer in answers}
    assert seen["127.0.0.1"] == (True, None)
    assert seen["::1"] in ((False, "refused"), (False, "unreachable"))


async def test_an_address_asks_no_name_server() -> None:
    async with (
        LoopbackServer(ok) as server,
        world(connection(f"http://127.0.0.1:{server.port}/v1")) as facts,
    ):
        with pytest.raises(Unavailable, match="an address"):
            await facts.get(DNS)
        assert (await facts.get(TCP))[0].ok


async def test_a_name_that_does_not_exist() -> None:
    async with world(connection("https://gateway.invalid/v1")) as facts:
        answer = await facts.get(DNS)
        assert answer.addresses == ()
        assert answer.error
        with pytest.raises(Unavailable, match="not resolved"):
            await facts.get(TCP)


async def test_a_name_that_no_name_server_could_be_asked() -> None:
    async with world(connection(f"https://{'a' * 70}.example/v1")) as facts:
        assert (await facts.get(DNS)).error


async def test_nothing_listens() -> None:
    async with LoopbackServer(ok) as server:
        port = server.port
    async with world(connection(f"http://127.0.0.1:{port}/v1")) as facts:
        answer = (await facts.get(TCP))[0]
    assert (answer.ok, answer.error, answer.port) == (False, "refused", port)
    assert "refused" in answer.text


async def test_connect_to_changes_what_is_dialled() -> None:
    async with LoopbackServer(ok) as server:
        mapping = {("gateway.example", 443): ("127.0.0.1", server.port)}
        options = Options(timeout=TIMEOUT, connect_to=mapping)
        async with world(connection(), options) as facts:
            with pytest.raises(Unavailable, match="connect-to"):
                await facts.get(DNS)
            (answer,) = await facts.get(TCP)
    assert (answer.ok, answer.address, answer.port) == (True, "127.0.0.1", server.port)


async def test_through_a_proxy_the_client_dials_the_proxy_only() -> None:
    async with LoopbackServer(ok) as proxy:
        given = {PROXY_ROUTES: route(proxy.origin)}
        async with world(connection(), given=given) as facts:
            wanted: tuple[Any, ...] = (DNS, TCP)
            for fact in wanted:
                with pytest.raises(Unavailable, match="the proxy"):
                    await facts.get(fact)
            answer = await facts.get(PROXY_TCP)
    assert (answer.ok, answer.host, answer.port) == (True, "127.0.0.1", proxy.port)


async def test_a_dead_proxy() -> None:
    async with LoopbackServer(ok) as proxy:
        origin, port = proxy.origin, proxy.port
    async with world(connection(), given={PROXY_ROUTES: route(origin)}) as facts:
        answer = await facts.get(PROXY_TCP)
        listed = await facts.get(MODELS)
    assert (answer.ok, answer.error, answer.port) == (False, "refused", port)
    assert listed.reply.exchange.fault is TransportFault.PROXY_UNREACHABLE
    assert "refused" in listed.reply.exchange.fault_text.lower()


@pytest.mark.parametrize("proxy", ["http://proxy.invalid:8080", "socks5://proxy.invalid"])
async def test_a_proxy_whose_name_does_not_exist(proxy: str) -> None:
    async with world(connection(), given={PROXY_ROUTES: route(proxy)}) as facts:
        answer = await facts.get(PROXY_TCP)
        listed = await facts.get(MODELS)
    assert (answer.ok, answer.error) == (False, "other")
    assert answer.port == (8080 if proxy.startswith("http") else 1080)
    assert listed.reply.exchange.fault is TransportFault.PROXY_UNREACHABLE


async def test_a_proxy_that_listens_and_speaks_no_socks() -> None:
    async with LoopbackServer(ok) as server:
        proxy = f"socks5://127.0.0.1:{server.port}"
        options = Options(timeout=IMPATIENT)
        async with world(connection(), options, {PROXY_ROUTES: route(proxy)}) as facts:
            reply = await facts.get(COMPLETION)
    assert reply.exchange.status is None
    assert reply.exchange.fault_text


async def test_an_https_proxy_url_on_a_plain_proxy() -> None:
    async with LoopbackServer(ok) as server:
        proxy = server.origin.replace("http://", "https://")
        async with world(connection(), given={PROXY_ROUTES: route(proxy)}) as facts:
            listed = await facts.get(MODELS)
    assert listed.reply.exchange.fault is TransportFault.PROXY_SETTING
    assert "WRONG_VERSION_NUMBER" in listed.reply.exchange.fault_text


async def test_without_a_proxy_there_is_none_to_dial() -> None:
    async with world(connection()) as facts:
        with pytest.raises(Unavailable, match="without a proxy"):
            await facts.get(PROXY_TCP)


async def test_a_proxy_kind_that_is_not_spoken_is_unknown() -> None:
    async with world(connection(), given={PROXY_ROUTES: route("socks4://127.0.0.1:1")}) as facts:
        with pytest.raises(Unavailable, match="socks4"):
            await facts.get(MODELS)


@pytest.mark.parametrize("fact", [DNS, TCP, PROXY_TCP, TLS, MODELS, COMPLETION])
async def test_offline_touches_no_network(fact: Any) -> None:
    async with LoopbackServer(ok) as server:
        options = Options(offline=True)
        async with world(connection(f"{server.origin}/v1"), options) as facts:
            with pytest.raises(Unavailable, match="offline"):
                await facts.get(fact)
        assert server.connections == 0


async def test_what_listens_here_is_told_with_its_program() -> None:
    async with LoopbackServer(ok) as server, world(None) as facts:
        found = [each for each in await facts.get(LISTENERS) if each.port == server.port]
    assert [each.address for each in found] == ["127.0.0.1"]
    assert found[0].process


@pytest.mark.parametrize(
    ("number", "address", "kind"),
    [
        (errno.EHOSTUNREACH, "192.0.2.1", "unreachable"),
        (errno.ENETUNREACH, "2001:db8::1", "unreachable"),
        (errno.EADDRNOTAVAIL, "::1", "unreachable"),
        (errno.EADDRNOTAVAIL, "192.0.2.1", "address"),
        (errno.EACCES, "192.0.2.1", "address"),
        (errno.ETIMEDOUT, "192.0.2.1", "timeout"),
        (errno.EINVAL, "192.0.2.1", "other"),
    ],
)
def test_errors_of_a_connect_are_told_apart(number: int, address: str, kind: str) -> None:
    assert _kind(OSError(number, "x"), address) == kind
