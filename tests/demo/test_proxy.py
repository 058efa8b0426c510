"""The forwarding proxy, its refusals, and what passes through it."""

from __future__ import annotations

import ssl

import httpx
import pytest
import trustme

from doctor.demo.console import Console, Firewall, Site
from doctor.demo.faults import Fault
from doctor.demo.http import Answer, LoopbackServer, Request, Response, json_response
from doctor.demo.mixedport import MixedPort
from doctor.demo.proxy import ForwardProxy, ProxyMode
from doctor.demo.vllm import Vllm, VllmConfig


async def echo(request: Request) -> Answer:
    return json_response(200, {"target": request.target, "secure": request.secure})


def server_context(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def client_context(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def through(
    proxy: LoopbackServer, user: str = "", verify: ssl.SSLContext | bool = True
) -> httpx.AsyncClient:
    url = proxy.origin.replace("//", f"//{user}@") if user else proxy.origin
    return httpx.AsyncClient(proxy=url, trust_env=False, timeout=5.0, verify=verify)


async def test_absolute_form_is_forwarded() -> None:
    async with (
        LoopbackServer(echo) as origin,
        LoopbackServer(ForwardProxy()) as proxy,
        through(proxy) as client,
    ):
        answer = await client.post(origin.origin + "/v1/x?a=b", content=b"body")
        assert answer.json() == {"target": "/v1/x?a=b", "secure": False}
        (seen,) = proxy.requests
        assert seen.authority == origin.netloc
        assert origin.requests[0].body == b"body"


async def test_stream_passes_through() -> None:
    async with (
        LoopbackServer(Vllm()) as engine,
        LoopbackServer(ForwardProxy()) as proxy,
        through(proxy) as client,
    ):
        body = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}], "stream": True}
        answer = await client.post(engine.origin + "/v1/chat/completions", json=body)
        assert answer.text.endswith("data: [DONE]\n\n")


async def test_an_answer_that_breaks_off_behind_the_proxy() -> None:
    for fault, stream in ((Fault.STREAM_CUT, True), (Fault.BODY_CUT, False)):
        engine = Vllm(VllmConfig(faults={"*": fault}))
        async with (
            LoopbackServer(engine) as origin,
            LoopbackServer(ForwardProxy()) as proxy,
            through(proxy) as client,
        ):
            hi = {"role": "user", "content": "hi"}
            body = {"model": "tiny", "messages": [hi], "stream": stream}
            with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
                await client.post(origin.origin + "/v1/chat/completions", json=body)


async def test_connect_to_a_mapped_name(authority: trustme.CA) -> None:
    """https to a public name reaches a loopback server, and its TLS is the client's business."""
    context = server_context(authority, "gateway.example")
    async with LoopbackServer(echo, ssl_context=context) as origin:
        hosts = {"gateway.example:443": origin.netloc}
        async with LoopbackServer(ForwardProxy(hosts=hosts)) as proxy:
            async with through(proxy, verify=client_context(authority)) as client:
                answer = await client.get("https://gateway.example/v1/models")
                assert answer.json() == {"target": "/v1/models", "secure": True}
            async with through(proxy) as client:
                with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                    await client.get("https://gateway.example/v1/models")
        assert proxy.requests[0].method == "CONNECT"


@pytest.mark.parametrize("url", ["http://10.0.0.1/v1", "http://example.org/v1"])
async def test_only_loopback_is_reached(url: str) -> None:
    async with LoopbackServer(ForwardProxy()) as proxy, through(proxy) as client:
        assert (await client.get(url)).status_code == 403


async def test_dead_target() -> None:
    async with LoopbackServer(ForwardProxy()) as proxy, through(proxy) as client:
        answer = await client.get("http://127.0.0.1:9/v1")
    assert (answer.status_code, answer.reason_phrase) == (500, "Unable to connect")


async def test_credentials() -> None:
    handler = ForwardProxy(user="demo", password="demo")
    async with LoopbackServer(echo) as origin, LoopbackServer(handler) as proxy:
        async with through(proxy, "demo:demo") as client:
            assert (await client.get(origin.origin)).status_code == 200
        async with through(proxy) as client:
            refused = await client.get(origin.origin)
    assert refused.status_code == 407
    assert refused.headers["proxy-authenticate"] == 'Basic realm="Tinyproxy"'
    # A proxy's credential is not handed on.
    assert all(request.header("proxy-authorization") is None for request in origin.requests)


@pytest.mark.parametrize(
    ("mode", "status", "body"),
    [
        (ProxyMode.AUTH_REQUIRED, 407, "Proxy Authentication Required"),
        (ProxyMode.FORBIDS, 403, "Access violation"),
        (ProxyMode.BAD_GATEWAY, 502, "<h1>502 Bad Gateway</h1>"),
        (ProxyMode.UNAVAILABLE, 503, ""),
        (ProxyMode.ANSWERS_ITSELF, 200, "Sign in to this network"),
    ],
)
async def test_modes(mode: ProxyMode, status: int, body: str) -> None:
    async with LoopbackServer(ForwardProxy(mode)) as proxy, through(proxy) as client:
        answer = await client.get("http://127.0.0.1:9/v1/models")
        assert answer.status_code == status
        assert body in answer.text
        if status != 200:
            with pytest.raises(httpx.ProxyError):
                await client.get("https://127.0.0.1:9/v1/models")


async def test_tls_server(authority: trustme.CA) -> None:
    context = server_context(authority, "127.0.0.1")
    async with LoopbackServer(echo, ssl_context=context) as server:
        assert server.origin.startswith("https://")
        async with httpx.AsyncClient(verify=client_context(authority), trust_env=False) as client:
            assert (await client.get(server.origin)).json()["secure"] is True
        async with httpx.AsyncClient(trust_env=False) as client:
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await client.get(server.origin)
            with pytest.raises(httpx.TransportError):
                await client.get(server.origin.replace("https:", "http:"))


async def test_mixed_port(http: httpx.AsyncClient, authority: trustme.CA) -> None:
    context = server_context(authority, "127.0.0.1")
    async with (
        LoopbackServer(echo, ssl_context=context) as server,
        MixedPort(server) as front,
        httpx.AsyncClient(verify=client_context(authority), trust_env=False) as client,
    ):
        plain = await http.post(f"http://127.0.0.1:{front.port}/v1/chat/completions")
        assert plain.status_code == 400
        assert "The plain HTTP request was sent to HTTPS port" in plain.text
        secure = await client.get(f"https://127.0.0.1:{front.port}/v1/models")
        assert secure.json() == {"target": "/v1/models", "secure": True}


@pytest.mark.parametrize(
    ("site", "status"), [(Site.CONSOLE, 200), (Site.CAPTIVE, 200), (Site.WAF, 403)]
)
async def test_pages_at_every_path(http: httpx.AsyncClient, site: Site, status: int) -> None:
    async with LoopbackServer(Console(site)) as server:
        for path in ("/", "/v1/chat/completions", "/api/v1/models"):
            answer = await http.post(server.origin + path, json={})
            assert answer.status_code == status
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.text.lower().startswith("<!doctype html>")


async def test_firewall_sees_the_client(http: httpx.AsyncClient) -> None:
    async def api(request: Request) -> Answer:
        return Response(200, b"{}")

    async with LoopbackServer(Firewall(api)) as server:
        sdk = {"user-agent": "OpenAI/Python 3.57.0"}
        assert (await http.get(server.origin, headers=sdk)).status_code == 403
        curl = {"user-agent": "curl/7.88.1"}
        assert (await http.get(server.origin, headers=curl)).status_code == 200
