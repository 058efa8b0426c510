"""The SDK's own words, as the facts have observed them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from doctor.connection import Protocol
from doctor.context import Options
from doctor.demo import keys
from doctor.demo.faults import Fault
from doctor.demo.http import LoopbackServer
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.proxy import ForwardProxy
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts import COMPLETION, PROXY_ROUTES, SDK, Unavailable
from doctor.facts.answers import SdkAnswer
from tests.kit import connection
from tests.live.servers import refusing_port
from tests.probes.world import IMPATIENT, TIMEOUT, route, world

# Not a stand-in: the SDK itself runs, against loopback only.
CHAT = "/v1/chat/completions"


async def asked(base: str, *, stream: bool = False, **more: Any) -> SdkAnswer:
    options = more.pop("options", Options(timeout=TIMEOUT))
    given = more.pop("given", {})
    values = {"key": keys.GOOD, "model": "deepseek-v4-flash", **more}
    target = dataclasses.replace(connection(base, **values), stream=stream)
    async with world(target, options, given) as facts:
        return await facts.get(SDK)


def gateway(fault: Fault | None = None) -> LoopbackServer:
    return LoopbackServer(NewApi(NewApiConfig(faults={CHAT: fault} if fault else None)))


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (Fault.HTML_PAGE, "AttributeError", "'str' object has no attribute 'choices'"),
        (Fault.ERROR_IN_SUCCESS, "TypeError", "'NoneType' object is not subscriptable"),
        (Fault.SUCCESS_FALSE, "TypeError", "'NoneType' object is not subscriptable"),
        (Fault.CHOICES_NULL, "TypeError", "'NoneType' object is not subscriptable"),
        (Fault.CHOICES_EMPTY, "IndexError", "list index out of range"),
        (Fault.EMPTY_JSON, "JSONDecodeError", "Expecting value: line 1 column 1 (char 0)"),
        (Fault.EMPTY_TEXT, "AttributeError", "'str' object has no attribute 'choices'"),
        (Fault.JSON_NULL, "AttributeError", "'NoneType' object has no attribute 'choices'"),
        (Fault.JSON_STRING, "AttributeError", "'str' object has no attribute 'choices'"),
        (Fault.JSON_ARRAY, "AttributeError", "'list' object has no attribute 'choices'"),
        (Fault.SSE_UNASKED, "AttributeError", "'str' object has no attribute 'choices'"),
    ],
)
async def test_a_wrong_body_raises_as_in_the_facts(fault: Fault, error: str, message: str) -> None:
    async with gateway(fault) as server:
        answer = await asked(f"{server.origin}/api/v1")
    assert (answer.error, answer.message) == (error, message)
    assert answer.line == "response.choices[0]"
    assert answer.sdk.startswith("openai 3.")


@pytest.mark.parametrize("fault", [Fault.HTML_PAGE, Fault.EMPTY_JSON, Fault.JSON_UNASKED])
async def test_a_stream_that_is_none_gives_no_chunk_and_no_error(fault: Fault) -> None:
    async with gateway(fault) as server:
        answer = await asked(f"{server.origin}/api/v1", stream=True)
    assert answer.error == "no chunk"
    assert answer.message.startswith("no chunk and no error: 200")


async def test_an_error_in_a_stream_is_raised() -> None:
    async with gateway(Fault.STREAM_EMPTY) as server:
        empty = await asked(f"{server.origin}/api/v1", stream=True)
    assert empty.error == "no chunk"


async def test_a_refusal_is_told_with_the_servers_words() -> None:
    async with gateway() as server:
        answer = await asked(f"{server.origin}/api/v1", key=keys.UNKNOWN)
    assert answer.error == "AuthenticationError"
    assert "Invalid token" in answer.message
    assert keys.UNKNOWN not in repr(answer)


async def test_the_cause_is_named_behind_connection_error() -> None:
    async with gateway() as server:
        origin = server.origin
    answer = await asked(f"{origin}/api/v1")
    assert (answer.error, answer.message) == ("APIConnectionError", "Connection error.")
    assert "refused" in answer.cause.lower() or "connect" in answer.cause.lower()


async def test_a_key_with_a_line_break() -> None:
    async with gateway() as server:
        answer = await asked(f"{server.origin}/api/v1", key=keys.GOOD + "\n")
    assert (answer.error, answer.message) == ("APIConnectionError", "Connection error.")
    assert "Illegal header value" in answer.cause
    assert keys.GOOD not in repr(answer)


async def test_a_key_that_is_not_ascii() -> None:
    async with gateway() as server:
        answer = await asked(f"{server.origin}/api/v1", key="sk-你的Key")
    assert answer.error == "UnicodeEncodeError"
    assert "ordinal not in range(128)" in answer.message


@pytest.mark.parametrize(
    ("base", "cause"),
    [
        ("gateway.example/v1", "Request URL is missing an 'http://' or 'https://' protocol."),
        ("https://127.0.0.1:{port}/v1", "WRONG_VERSION_NUMBER"),
    ],
)
async def test_a_wrong_address(base: str, cause: str) -> None:
    async with gateway() as server:
        answer = await asked(base.format(port=server.port))
    assert answer.error == "APIConnectionError"
    assert cause in answer.cause


async def test_a_proxy_that_the_library_refuses() -> None:
    text = "Unknown scheme for proxy URL URL('socks://127.0.0.1:7890')"
    given = {PROXY_ROUTES: route(error=text)}
    answer = await asked("http://127.0.0.1:1/v1", given=given)
    assert (answer.error, answer.message, answer.line) == ("ValueError", text, "OpenAI()")


async def test_a_dead_proxy_is_not_named_by_the_sdk() -> None:
    async with gateway() as server:
        dead = server.origin
    given = {PROXY_ROUTES: route(dead)}
    answer = await asked("http://gateway.example/v1", given=given)
    assert (answer.error, answer.message) == ("APIConnectionError", "Connection error.")


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("protocol", [Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES])
@pytest.mark.parametrize("max_tokens", [None, 200])
async def test_where_it_answers_it_is_asked_only_on_request(
    stream: bool, protocol: Protocol, max_tokens: int | None
) -> None:
    async with LoopbackServer(Vllm(VllmConfig(answer="ok and more"))) as server:
        more: dict[str, Any] = {
            "model": "tiny",
            "protocol": protocol,
            "max_tokens": max_tokens,
            "stream": stream,
        }
        with pytest.raises(Unavailable, match="answered"):
            await asked(f"{server.origin}/v1", **more)
        options = Options(timeout=TIMEOUT, sdk=True)
        answer = await asked(f"{server.origin}/v1", options=options, **more)
    assert (answer.error, answer.message) == (None, "")


@pytest.mark.parametrize(
    ("more", "options", "reason"),
    [
        ({"client": "anthropic-sdk", "protocol": Protocol.ANTHROPIC_MESSAGES}, {}, "protocol"),
        ({}, {"connect_to": {("a", 1): ("b", 2)}}, "connect-to"),
        ({}, {"no_spend": True}, "no-spend"),
        ({"key": None}, {}, "environment"),
        ({"key": ""}, {}, "environment"),
    ],
)
async def test_where_it_is_not_asked(
    more: dict[str, Any], options: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", keys.MASTER)
    async with gateway(Fault.HTML_PAGE) as server:
        chosen = Options(timeout=TIMEOUT, **options)
        with pytest.raises(Unavailable, match=reason):
            await asked(f"{server.origin}/api/v1", options=chosen, **more)
        assert all(keys.MASTER not in str(r.headers) for r in server.requests)


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.REDIRECT_ELSEWHERE])
async def test_it_neither_waits_twice_nor_follows(fault: Fault) -> None:
    options = Options(timeout=IMPATIENT if fault is Fault.HANG else TIMEOUT)
    async with gateway(fault) as server:
        with pytest.raises(Unavailable):
            await asked(f"{server.origin}/api/v1", options=options)
        assert len(server.requests) == 1


async def test_headers_of_the_doctors_own_environment_stay_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-made-up-other")
    async with gateway(Fault.HTML_PAGE) as server:
        with pytest.raises(Unavailable, match="OPENAI_CUSTOM_HEADERS"):
            await asked(f"{server.origin}/api/v1")
        assert len(server.requests) == 1


async def test_what_it_costs_is_counted() -> None:
    async with gateway(Fault.CHOICES_EMPTY) as server:
        target = dataclasses.replace(
            connection(f"{server.origin}/api/v1", key=keys.GOOD, model="m"), stream=False
        )
        async with world(target) as facts:
            await facts.get(SDK)
            spent = facts.run.meter.spent
            assert await facts.find(COMPLETION) is not None
    assert spent.billable == len(server.requests) == 2


async def test_what_never_left_costs_nothing() -> None:
    with refusing_port() as port:
        target = connection(f"http://127.0.0.1:{port}/v1", key=keys.GOOD, model="m")
        async with world(target) as facts:
            answer = await facts.get(SDK)
            spent = facts.run.meter.spent
    assert answer.error == "APIConnectionError"
    assert (spent.free, spent.billable) == (0, 0)


async def test_what_was_sent_through_a_proxy_is_counted() -> None:
    async with gateway(Fault.CHOICES_EMPTY) as server, LoopbackServer(ForwardProxy()) as proxy:
        target = dataclasses.replace(
            connection(f"{server.origin}/api/v1", key=keys.GOOD, model="m"), stream=False
        )
        given = {PROXY_ROUTES: route(proxy.origin)}
        async with world(target, given=given) as facts:
            await facts.get(SDK)
            spent = facts.run.meter.spent
    assert spent.billable == len(server.requests) == 2
