"""Handshakes: whose store accepts, what the certificate says, through a proxy as well."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from doctor.connection import Origin, OriginKind, Setting
from doctor.context import Options
from doctor.demo.http import Answer, LoopbackServer, Request, json_response
from doctor.demo.proxy import ForwardProxy, ProxyMode
from doctor.facts import MODELS, PROXY_ROUTES, TLS, Unavailable
from doctor.facts.network import TransportFault
from doctor.probes.trust import CERTIFI, SYSTEM, Trust, build_context, trust_of
from tests.kit import connection, environment
from tests.probes.world import TIMEOUT, route, world

Contexts = Callable[..., ssl.SSLContext]


async def models(request: Request) -> Answer:
    return json_response(200, {"object": "list", "data": [{"id": "m"}]})


def options(server: LoopbackServer, **more: object) -> Options:
    mapping = {("gateway.example", 443): ("127.0.0.1", server.port)}
    return Options(**({"timeout": TIMEOUT, "connect_to": mapping} | more))  # type: ignore[arg-type]


def trusting(bundle: Path, **more: str) -> dict[str, str]:
    return {"SSL_CERT_FILE": str(bundle), **more}


async def test_a_store_of_the_environment_replaces_the_systems(
    server_context: Contexts, bundle: Path
) -> None:
    async with LoopbackServer(models, ssl_context=server_context("gateway.example")) as server:
        env = environment(trusting(bundle))
        async with world(connection(), options(server), env=env) as facts:
            answer = await facts.get(TLS)
            listed = await facts.get(MODELS)
    assert (answer.ok, answer.error) == (True, None)
    assert (answer.system_ok, answer.certifi_ok) == (False, False)
    assert answer.issuer.startswith("Made Up Authority")
    assert answer.names == ("gateway.example",)
    assert answer.not_after.endswith("Z")
    assert answer.store == f"SSL_CERT_FILE={bundle}"
    assert not answer.self_signed
    # The same trust, and the name in SNI and certificate, hold for requests.
    assert listed.models is not None
    assert server.requests[0].host == "gateway.example"


@pytest.mark.parametrize(
    ("names", "expired", "trusted", "error", "fault"),
    [
        (("gateway.example",), False, False, "untrusted", TransportFault.TLS_UNTRUSTED),
        (("other.example",), False, True, "name", TransportFault.TLS_NAME_OR_DATE),
        (("gateway.example",), True, True, "date", TransportFault.TLS_NAME_OR_DATE),
    ],
)
async def test_a_certificate_is_read_though_it_is_refused(
    server_context: Contexts,
    bundle: Path,
    names: tuple[str, ...],
    expired: bool,
    trusted: bool,
    error: str,
    fault: TransportFault,
) -> None:
    context = server_context(*names, expired=expired)
    env = environment(trusting(bundle) if trusted else {})
    async with LoopbackServer(models, ssl_context=context) as server:
        async with world(connection(), options(server), env=env) as facts:
            answer = await facts.get(TLS)
            listed = await facts.get(MODELS)
        assert not server.requests
    assert (answer.ok, answer.error) == (False, error)
    assert answer.names == names
    assert answer.issuer.startswith("Made Up Authority")
    assert "certificate verify failed" in answer.text
    assert listed.reply.exchange.fault is fault


async def test_another_store_would_accept(server_context: Contexts, bundle: Path) -> None:
    """The flag's bundle is the client's store here; the environment's is not asked."""
    async with LoopbackServer(models, ssl_context=server_context("gateway.example")) as server:
        chosen = options(server, ca_bundle=str(bundle))
        env = environment({"SSL_CERT_FILE": "/nowhere"})
        async with world(connection(), chosen, env=env) as facts:
            assert (await facts.get(TLS)).ok


async def test_a_plain_server_speaks_no_tls() -> None:
    async with LoopbackServer(models) as server, world(connection(), options(server)) as facts:
        answer = await facts.get(TLS)
    assert (answer.ok, answer.error) == (False, "not-tls")
    assert (answer.system_ok, answer.certifi_ok) == (None, None)


async def test_a_bundle_that_is_missing_is_the_fault(server_context: Contexts) -> None:
    env = environment({"SSL_CERT_FILE": "/nowhere/ca.pem"})
    async with (
        LoopbackServer(models, ssl_context=server_context("gateway.example")) as server,
        world(connection(), options(server), env=env) as facts,
    ):
        answer = await facts.get(TLS)
    assert (answer.ok, answer.error) == (False, "other")
    assert "/nowhere/ca.pem" in answer.text
    assert answer.names == ("gateway.example",)


async def test_through_a_proxy(server_context: Contexts, bundle: Path) -> None:
    context = server_context("gateway.example")
    async with LoopbackServer(models, ssl_context=context) as server:
        hosts = {"gateway.example": f"127.0.0.1:{server.port}"}
        async with LoopbackServer(ForwardProxy(hosts=hosts)) as proxy:
            given = {PROXY_ROUTES: route(proxy.origin)}
            env = environment(trusting(bundle))
            async with world(connection(), Options(timeout=TIMEOUT), given, env) as facts:
                answer = await facts.get(TLS)
                listed = await facts.get(MODELS)
            assert all(r.method == "CONNECT" for r in proxy.requests)
    assert (answer.ok, answer.names) == (True, ("gateway.example",))
    assert listed.models is not None
    assert listed.reply.exchange.via == proxy.origin


async def test_a_proxy_that_opens_no_tunnel() -> None:
    async with LoopbackServer(ForwardProxy(mode=ProxyMode.AUTH_REQUIRED)) as proxy:
        given = {PROXY_ROUTES: route(proxy.origin)}
        async with world(connection(), Options(timeout=TIMEOUT), given) as facts:
            with pytest.raises(Unavailable, match="407"):
                await facts.get(TLS)
            listed = await facts.get(MODELS)
    assert listed.reply.exchange.fault is TransportFault.PROXY_REFUSES
    assert "407" in listed.reply.exchange.fault_text


async def test_http_needs_no_handshake() -> None:
    async with world(connection("http://gateway.example/v1")) as facts:
        with pytest.raises(Unavailable, match="http"):
            await facts.get(TLS)


async def test_a_plain_request_to_a_tls_server_is_recognised(server_context: Contexts) -> None:
    """Python's TLS server just closes, without a word."""
    async with LoopbackServer(models, ssl_context=server_context("127.0.0.1")) as server:
        base = f"http://127.0.0.1:{server.port}/v1"
        async with world(connection(base)) as facts:
            listed = await facts.get(MODELS)
    assert listed.reply.exchange.fault is TransportFault.PLAIN_TO_TLS


@pytest.mark.parametrize(
    ("stack", "variables", "trust"),
    [
        ("httpx2", {}, Trust(SYSTEM)),
        ("httpx", {}, Trust(CERTIFI)),
        (
            "httpx2",
            {"SSL_CERT_FILE": "ca.pem", "SSL_CERT_DIR": "/d"},
            Trust(SYSTEM, "/home/user/app/ca.pem", variable="SSL_CERT_FILE"),
        ),
        (
            "httpx",
            {"SSL_CERT_FILE": "", "SSL_CERT_DIR": "/d:/e"},
            Trust(CERTIFI, "/d:/e", variable="SSL_CERT_DIR"),
        ),
        (
            "requests",
            {"REQUESTS_CA_BUNDLE": "/r.pem", "SSL_CERT_FILE": "/s.pem"},
            Trust(CERTIFI, "/r.pem", variable="REQUESTS_CA_BUNDLE"),
        ),
        (
            "node-fetch",
            {"NODE_EXTRA_CA_CERTS": "/n.pem", "SSL_CERT_FILE": "/s.pem"},
            Trust(CERTIFI, "/n.pem", adds=True, variable="NODE_EXTRA_CA_CERTS"),
        ),
        ("aiohttp", {"NODE_EXTRA_CA_CERTS": "/n.pem"}, Trust(SYSTEM)),
    ],
)
async def test_each_stack_has_its_own_store(
    stack: str, variables: dict[str, str], trust: Trust
) -> None:
    async with world(connection(), env=environment(variables)) as facts:
        assert trust_of(facts, stack) == trust


async def test_a_repair_beats_the_flag_and_the_flag_the_setting() -> None:
    import dataclasses

    def with_bundle(value: str, kind: OriginKind):  # type: ignore[no-untyped-def]
        return dataclasses.replace(connection(), ca_bundle=Setting(value, Origin(kind, "ca")))

    flag = Options(ca_bundle="/flag.pem")
    async with world(with_bundle("/own.pem", OriginKind.FILE), flag) as facts:
        assert trust_of(facts, "httpx2").bundle == "/flag.pem"
    async with world(with_bundle("/own.pem", OriginKind.FILE)) as facts:
        assert trust_of(facts, "httpx2").bundle == "/own.pem"
    env = environment({"SSL_CERT_FILE": "/broken.pem"})
    async with world(with_bundle("", OriginKind.CHANGE), flag, env=env) as facts:
        assert trust_of(facts, "httpx2") == Trust(SYSTEM)


def test_contexts_verify() -> None:
    for trust in (Trust(SYSTEM), Trust(CERTIFI), Trust(CERTIFI, "/nowhere.pem", adds=True)):
        context = build_context(trust)
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.check_hostname
    assert len(build_context(Trust(CERTIFI)).get_ca_certs()) > 50
