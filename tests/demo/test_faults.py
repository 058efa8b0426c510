"""Every fault: what comes over the wire, on the gateway and on the engine."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from doctor.demo.fault_texts import HOSTILE
from doctor.demo.faults import Fault, Faults, Injection
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.vllm import Vllm, VllmConfig

HI: dict[str, Any] = {
    "model": "deepseek-v4-flash",
    "messages": [{"role": "user", "content": "hi"}],
}
BEARER = {"authorization": f"Bearer {GOOD}"}
CHAT = "/v1/chat/completions"


def gateway(fault: Fault | Injection, route: str = CHAT) -> LoopbackServer:
    return LoopbackServer(NewApi(NewApiConfig(faults={route: fault})))


async def ask(
    http: httpx.AsyncClient, server: LoopbackServer, path: str = CHAT, /, **more: Any
) -> httpx.Response:
    timeout = more.pop("timeout", 5.0)
    url = f"{server.origin}/api{path}"
    return await http.post(url, json={**HI, **more}, headers=BEARER, timeout=timeout)


def chunks(text: str) -> list[dict[str, Any]]:
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


BODIES: list[tuple[Fault, Callable[[dict[str, Any]], bool]]] = [
    (Fault.CHOICES_NULL, lambda v: v["choices"] is None),
    (Fault.CHOICES_EMPTY, lambda v: v["choices"] == []),
    (Fault.CHOICES_MISSING, lambda v: "choices" not in v and "usage" in v),
    (Fault.ERROR_IN_SUCCESS, lambda v: v["error"]["code"] == "do_request_failed"),
    (Fault.SUCCESS_FALSE, lambda v: v == {"message": "Invalid token", "success": False}),
    (Fault.OTHER_MODEL, lambda v: v["model"] == "another-model"),
    (Fault.CUT_BY_LENGTH, lambda v: v["choices"][0]["finish_reason"] == "length"),
    (
        Fault.THINKING_TOOK_BUDGET,
        lambda v: (
            v["choices"][0]["message"]["content"] is None
            and v["choices"][0]["message"]["reasoning_content"]
            and v["choices"][0]["finish_reason"] == "length"
        ),
    ),
    (
        Fault.THINKING_AND_STOP,
        lambda v: (
            v["choices"][0]["message"]["content"] == ""
            and v["choices"][0]["finish_reason"] == "stop"
        ),
    ),
    (Fault.HOSTILE_CONTENT, lambda v: v["choices"][0]["message"]["content"] == HOSTILE),
]


@pytest.mark.parametrize(("fault", "holds"), BODIES, ids=[fault for fault, _ in BODIES])
async def test_bodies(
    http: httpx.AsyncClient, fault: Fault, holds: Callable[[dict[str, Any]], bool]
) -> None:
    async with gateway(fault) as server:
        answer = await ask(http, server)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert holds(answer.json())


@pytest.mark.parametrize(
    ("fault", "kind", "start"),
    [
        (Fault.EMPTY_JSON, "application/json", b""),
        (Fault.EMPTY_TEXT, "text/plain", b""),
        (Fault.JSON_NULL, "application/json", b"null"),
        (Fault.JSON_STRING, "application/json", b'"ok"'),
        (Fault.JSON_ARRAY, "application/json", b"[]"),
        (Fault.HTML_PAGE, "text/html", b"<!doctype html>"),
        (Fault.CAPTIVE_PORTAL, "text/html", b"<!DOCTYPE html>"),
        (Fault.SSE_UNASKED, "text/event-stream", b"data: {"),
    ],
)
async def test_other_bodies(http: httpx.AsyncClient, fault: Fault, kind: str, start: bytes) -> None:
    async with gateway(fault) as server:
        answer = await ask(http, server)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.content.startswith(start)
    assert bool(answer.content) is bool(start)


async def test_truncated_json(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.TRUNCATED_JSON) as server:
        answer = await ask(http, server)
    with pytest.raises(json.JSONDecodeError):
        answer.json()
    async with gateway(Fault.BODY_CUT) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await ask(http, server)


async def test_huge_body(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.HUGE_BODY) as server:
        answer = await ask(http, server)
    assert len(answer.content) > 10 * 1024 * 1024
    assert answer.json()["choices"]


async def test_json_for_a_stream(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.JSON_UNASKED) as server:
        answer = await ask(http, server, stream=True)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["choices"][0]["message"]["content"] == "ok"


STREAMS: list[tuple[Fault, Callable[[list[dict[str, Any]]], bool]]] = [
    (Fault.CHOICES_NULL, lambda c: any(x["choices"] is None for x in c)),
    (Fault.CHOICES_EMPTY, lambda c: c[0]["choices"] == []),
    (Fault.CHOICES_MISSING, lambda c: all("choices" not in x for x in c)),
    (Fault.STREAM_USAGE_CHUNK, lambda c: c[-1]["choices"] == [] and "usage" in c[-1]),
    (Fault.STREAM_AZURE_FILTER, lambda c: "prompt_filter_results" in c[0]),
    (
        Fault.STREAM_AZURE_NO_DELTA,
        lambda c: any(x["choices"] and "delta" not in x["choices"][0] for x in c),
    ),
    (Fault.STREAM_ERROR_EVENT, lambda c: "error" in c[-1]),
    (Fault.OTHER_MODEL, lambda c: {x["model"] for x in c} == {"another-model"}),
    (Fault.CUT_BY_LENGTH, lambda c: c[-1]["choices"][0]["finish_reason"] == "length"),
    (
        Fault.THINKING_TOOK_BUDGET,
        lambda c: not any(x["choices"][0]["delta"].get("content") for x in c),
    ),
    (
        Fault.HOSTILE_CONTENT,
        lambda c: any(x["choices"][0]["delta"].get("content") == HOSTILE for x in c),
    ),
]


@pytest.mark.parametrize(("fault", "holds"), STREAMS, ids=[fault for fault, _ in STREAMS])
async def test_streams(
    http: httpx.AsyncClient, fault: Fault, holds: Callable[[list[dict[str, Any]]], bool]
) -> None:
    async with gateway(fault) as server:
        answer = await ask(http, server, stream=True)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert holds(chunks(answer.text))


async def test_stream_endings(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.STREAM_ENDS_EARLY) as server:
        text = (await ask(http, server, stream=True)).text
        assert "[DONE]" not in text
        assert len(chunks(text)) == 2
    async with gateway(Fault.STREAM_EMPTY) as server:
        assert (await ask(http, server, stream=True)).text == ""
    async with gateway(Fault.STREAM_CUT) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await ask(http, server, stream=True)
    for fault in (Fault.STREAM_NEVER_STARTS, Fault.STREAM_STALLS, Fault.HANG):
        async with gateway(fault) as server:
            with pytest.raises(httpx.ReadTimeout):
                await ask(http, server, stream=True, timeout=0.2)


async def test_stream_buffered(http: httpx.AsyncClient) -> None:
    async with gateway(Injection(Fault.STREAM_BUFFERED, seconds=0.2)) as server:
        url = f"{server.origin}/api{CHAT}"
        body = {**HI, "stream": True}
        async with http.stream("POST", url, json=body, headers=BEARER) as answer:
            parts = [part async for part in answer.aiter_raw()]
    assert len(parts) == 1


async def test_stream_faults_leave_plain_answers_alone(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.STREAM_CUT) as server:
        assert (await ask(http, server)).json()["choices"]


async def test_anthropic_stream_error(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.STREAM_ERROR_EVENT, "/v1/messages") as server:
        answer = await ask(http, server, "/v1/messages", max_tokens=8, stream=True)
    assert "event: error\n" in answer.text
    assert chunks(answer.text)[-1]["error"]["type"] == "overloaded_error"


@pytest.mark.parametrize(
    ("path", "heart"), [("/v1/messages", "content"), ("/v1/responses", "output")]
)
async def test_other_protocols_have_their_own_heart(
    http: httpx.AsyncClient, path: str, heart: str
) -> None:
    async with gateway(Fault.CHOICES_NULL, path) as server:
        answer = await ask(http, server, path, input="hi", max_tokens=8)
    assert answer.json()[heart] is None


@pytest.mark.parametrize(
    ("fault", "status", "start"),
    [
        (Fault.RATE_LIMIT_EMPTY, 429, ""),
        (Fault.RATE_LIMIT_RETRY_AFTER, 429, '{"error":{"message":"当前分组上游负载已饱和'),
        (Fault.BAD_GATEWAY, 502, "<html>\r\n<head><title>502 Bad Gateway</title>"),
        (Fault.GATEWAY_TIMEOUT, 504, "<html>\r\n<head><title>504 Gateway Time-out</title>"),
        (Fault.UPSTREAM_UNAVAILABLE, 503, '{"error":{"message":"bad response status code 503'),
        (Fault.UPSTREAM_UNREACHABLE, 500, '{"error":{"message":"upstream error: do request'),
        (Fault.FIREWALL, 403, "<!DOCTYPE html>"),
        (Fault.HOSTILE_ERROR, 400, '{"error":{"message":"\\u001b'),
    ],
)
async def test_statuses(http: httpx.AsyncClient, fault: Fault, status: int, start: str) -> None:
    async with gateway(fault) as server:
        answer = await ask(http, server)
    assert answer.status_code == status
    assert answer.text.startswith(start)
    assert ("retry-after" in answer.headers) is (fault is Fault.RATE_LIMIT_RETRY_AFTER)


async def test_redirects(http: httpx.AsyncClient) -> None:
    elsewhere = Injection(Fault.REDIRECT_ELSEWHERE, location="http://127.0.0.1:9/other")
    async with gateway(elsewhere) as server:
        answer = await ask(http, server)
    assert (answer.status_code, answer.headers["location"]) == (301, "http://127.0.0.1:9/other")
    async with gateway(Fault.REDIRECT_HTTPS) as server:
        answer = await ask(http, server)
    assert answer.status_code == 301
    assert answer.headers["location"] == f"https://127.0.0.1/api{CHAT}"
    async with gateway(Fault.REDIRECT_SLASH) as server:
        answer = await ask(http, server)
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{server.origin}/api{CHAT}/"


async def test_what_stands_before_looks_at_no_key(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.BAD_GATEWAY) as server:
        url = f"{server.origin}/api{CHAT}"
        assert (await http.post(url, json=HI)).status_code == 502
    async with gateway(Fault.UPSTREAM_UNAVAILABLE) as server:
        url = f"{server.origin}/api{CHAT}"
        assert (await http.post(url, json=HI)).status_code == 401
    early = Injection(Fault.UPSTREAM_UNAVAILABLE, before_auth=True)
    async with gateway(early) as server:
        url = f"{server.origin}/api{CHAT}"
        assert (await http.post(url, json=HI)).status_code == 503


async def test_connection_faults(http: httpx.AsyncClient) -> None:
    async with gateway(Fault.RESET) as server:
        with pytest.raises(httpx.ReadError):
            await ask(http, server)
    async with gateway(Fault.DROP) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await ask(http, server)
    async with gateway(Injection(Fault.SLOW_FIRST_BYTE, seconds=0.3)) as server:
        with pytest.raises(httpx.ReadTimeout):
            await ask(http, server, timeout=0.1)
        assert (await ask(http, server)).status_code == 200


@pytest.mark.parametrize(
    ("fault", "refused", "served", "code"),
    [
        (Fault.MAX_TOKENS_REFUSED, "max_tokens", "max_completion_tokens", "unsupported_parameter"),
        (Fault.MAX_COMPLETION_TOKENS_REFUSED, "max_completion_tokens", "max_tokens", None),
    ],
)
async def test_one_parameter_is_refused(
    http: httpx.AsyncClient, fault: Fault, refused: str, served: str, code: str | None
) -> None:
    async with gateway(fault) as server:
        wrong = await ask(http, server, CHAT, **{refused: 8})
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, code)
        assert (await ask(http, server, CHAT, **{served: 8})).status_code == 200


async def test_max_tokens_capped(http: httpx.AsyncClient) -> None:
    async with gateway(Injection(Fault.MAX_TOKENS_CAPPED, limit=8192)) as server:
        wrong = await ask(http, server, max_tokens=32000)
        assert wrong.json()["error"]["message"] == (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"
        )
        assert (await ask(http, server, max_tokens=8192)).status_code == 200


async def test_first_so_many_requests(http: httpx.AsyncClient) -> None:
    async with gateway(Injection(Fault.UPSTREAM_UNAVAILABLE, first=2)) as server:
        statuses = [(await ask(http, server)).status_code for _ in range(4)]
    assert statuses == [503, 503, 200, 200]


async def test_faults_change_while_the_server_runs(http: httpx.AsyncClient) -> None:
    handler = NewApi()
    async with LoopbackServer(handler) as server:
        assert (await ask(http, server)).json()["choices"]
        handler.faults.set(CHAT, Fault.CHOICES_NULL)
        assert (await ask(http, server)).json()["choices"] is None
        handler.faults.clear()
        assert (await ask(http, server)).json()["choices"]


async def test_shared_faults_and_every_route(http: httpx.AsyncClient) -> None:
    faults = Faults.of({"*": Fault.RATE_LIMIT_EMPTY})
    async with LoopbackServer(Vllm(VllmConfig(faults=faults))) as server:
        for path in ("/v1/models", "/metrics", "/health"):
            assert (await http.get(server.origin + path)).status_code == 429


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("stream", [False, True])
async def test_every_fault_is_quiet(http: httpx.AsyncClient, fault: Fault, stream: bool) -> None:
    """Whatever the client gets, the server has no defect of its own."""
    injection = Injection(fault, seconds=0.05, limit=1000)
    async with gateway(injection, "*") as server:
        for path in ("/v1/chat/completions", "/v1/messages", "/v1/responses"):
            more: dict[str, Any] = {"input": "hi", "max_tokens": 8, "stream": stream}
            with contextlib.suppress(httpx.TransportError):
                await ask(http, server, path, timeout=0.2, **more)
        assert server.errors == []
