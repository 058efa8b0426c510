"""What answers, by its own marks."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.context import Options
from doctor.demo import keys, pages
from doctor.demo.console import Console
from doctor.demo.http import Answer, LoopbackServer, Request, Response, json_response
from doctor.demo.litellm import LiteLlm
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig, RootV1
from doctor.demo.proxy import ForwardProxy, ProxyMode
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts import COMPLETION, PRODUCT, PROXY_ROUTES
from doctor.facts.answers import Product
from tests.kit import connection
from tests.probes.answers import chat, openai
from tests.probes.world import TIMEOUT, route, world


async def seen(server: LoopbackServer, path: str = "/v1", **more: Any) -> Product:
    given = more.pop("given", {})
    values = {"key": keys.GOOD, "model": "deepseek-v4-flash", **more}
    async with world(connection(server.origin + path, **values), given=given) as facts:
        return await facts.get(PRODUCT)


def with_keys(server: LoopbackServer) -> list[str]:
    return [r.path for r in server.requests if r.header("authorization")]


async def test_an_engine_tells_itself_and_its_version() -> None:
    async with LoopbackServer(Vllm()) as server:
        product = await seen(server, model="tiny")
        assert len(server.requests) == 2
    assert (product.id, product.version) == ("vllm", "0.32.0")
    assert "models owned_by vllm" in product.marks


async def test_an_engine_that_refuses_the_key() -> None:
    async with LoopbackServer(Vllm(VllmConfig(api_keys=(keys.ENGINE,)))) as server:
        product = await seen(server, model="tiny")
        assert len(server.requests) == 2
    assert product.id == "vllm"


async def test_a_gateway_without_its_headers_is_known_by_its_models() -> None:
    async with LoopbackServer(NewApi(NewApiConfig(headers=False))) as server:
        product = await seen(server, "/api/v1")
        assert len(server.requests) == 2
    assert (product.id, product.version) == ("new-api", None)


async def test_a_gateway_that_refuses_is_known_by_its_error() -> None:
    async with LoopbackServer(NewApi(NewApiConfig(headers=False))) as server:
        product = await seen(server, "/api/v1", key=keys.UNKNOWN)
    assert product.id == "new-api"
    assert "error type new_api_error" in product.marks


async def test_an_unknown_refusal_is_asked_further_without_the_key() -> None:
    """A page at the wrong path; the origin's answer to a path that cannot exist tells."""
    config = NewApiConfig(headers=False, system_name="Shop", root_v1=RootV1.NOT_FOUND)
    async with LoopbackServer(NewApi(config)) as server:
        product = await seen(server, "")
        asked = [r.path for r in server.requests]
        assert with_keys(server) == asked[:2]
        assert sorted(asked[2:]) == ["/v1/kvdoctor-no-such-path", "/version"]
    assert product.id == "new-api"
    assert "404 Invalid URL" in product.marks


async def test_an_engine_at_the_wrong_path_is_known_by_its_version() -> None:
    async with LoopbackServer(Vllm()) as server:
        product = await seen(server, "", model="tiny")
    assert (product.id, product.marks) == ("vllm", ("GET /version",))


async def test_a_website_is_a_web_page() -> None:
    async with LoopbackServer(Console(title="Shop")) as server:
        product = await seen(server)
    assert product.id == "web-page"


async def test_a_page_by_the_name_of_a_product() -> None:
    async def handler(request: Request) -> Answer:
        return pages.html(200, pages.spa("New API"))

    async with LoopbackServer(handler) as server:
        product = await seen(server)
        assert len(server.requests) == 2
    assert (product.id, product.marks) == ("new-api", ("page title New API",))


async def test_a_relay_is_known_by_its_last_route() -> None:
    async def handler(request: Request) -> Answer:
        message = f"Route {request.path} not found"
        told = {"error": "Not Found", "message": message, "timestamp": "2026-02-28T01:58:48.827Z"}
        return json_response(404, told)

    async with LoopbackServer(handler) as server:
        product = await seen(server, "/api")
        assert len(server.requests) == 2
    assert product.id == "claude-relay-service"


async def test_what_only_answers_is_compatible() -> None:
    async def handler(request: Request) -> Answer:
        return json_response(200, {"data": [{"id": "m"}]} if request.method == "GET" else chat())

    async with LoopbackServer(handler) as server:
        product = await seen(server, model="m")
    assert (product.id, product.provider) == ("openai-compatible", None)


async def test_litellm_at_a_wrong_path_is_known_by_its_refusals() -> None:
    async with LoopbackServer(LiteLlm()) as server:
        product = await seen(server, model="qwen3-8b")
    assert product.id == "litellm"


async def test_a_proxy_that_answers_itself() -> None:
    async with LoopbackServer(ForwardProxy(mode=ProxyMode.AUTH_REQUIRED)) as proxy:
        given = {PROXY_ROUTES: route(proxy.origin)}
        async with world(connection("http://gateway.example/v1"), given=given) as facts:
            product = await facts.get(PRODUCT)
            assert (await facts.get(COMPLETION)).exchange.status == 407
        assert len(proxy.requests) == 2
    assert product.id == "proxy"
    assert any("tinyproxy" in mark for mark in product.marks)


async def test_no_answer_is_not_asked_further() -> None:
    async with LoopbackServer(Vllm()) as server:
        origin = server.origin
    async with world(connection(f"{origin}/v1")) as facts:
        product = await facts.get(PRODUCT)
        assert facts.run.meter.spent.free == 0
    assert (product.id, product.marks) == ("unknown", ())


async def test_the_provider_is_told_by_the_host() -> None:
    async def handler(request: Request) -> Answer:
        return json_response(401, openai("Incorrect API key provided"))

    async with LoopbackServer(handler) as server:
        for host, provider, product in (
            ("taotoken.net", "TaoToken", "unknown"),
            ("api.openai.com", "OpenAI", "openai"),
        ):
            mapping = {(host, 80): ("127.0.0.1", server.port)}
            options = Options(timeout=TIMEOUT, connect_to=mapping)
            async with world(connection(f"http://{host}/v1"), options) as facts:
                told = await facts.get(PRODUCT)
            assert (told.provider, told.id) == (provider, product)


async def test_hostile_marks_are_harmless() -> None:
    async def handler(request: Request) -> Answer:
        return Response(500, b"{}", (("X-New-Api-Version", "v1\x1b[31m"),))

    async with LoopbackServer(handler) as server:
        product = await seen(server)
    assert "\x1b" not in repr(product)


@pytest.mark.parametrize("status", [301, 404, 500])
async def test_an_answer_without_any_mark_stays_unknown(status: int) -> None:
    async def handler(request: Request) -> Answer:
        return Response(status, b"", (("location", "https://elsewhere.example/"),))

    async with LoopbackServer(handler) as server:
        assert (await seen(server)).id == "unknown"
