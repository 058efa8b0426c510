"""The LiteLLM-like proxy against what LiteLLM 1.108.7 answered when it was run."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from doctor.demo.faults import Fault
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import ENGINE, MASTER
from doctor.demo.litellm import LiteLlm
from doctor.demo.litellm_config import Group, LiteLlmConfig
from doctor.demo.vllm import Vllm, VllmConfig

HI: dict[str, Any] = {"model": "qwen3-8b", "messages": [{"role": "user", "content": "hi"}]}
BEARER = {"authorization": f"Bearer {MASTER}"}


def proxy(**settings: Any) -> LoopbackServer:
    return LoopbackServer(LiteLlm(LiteLlmConfig(**settings)))


@pytest.mark.parametrize(
    ("headers", "status", "error"),
    [
        (
            {},
            401,
            {
                "message": "Authentication Error, No api key passed in.",
                "type": "auth_error",
                "param": "None",
                "code": "401",
            },
        ),
        (
            {"authorization": MASTER},
            401,
            {
                "message": "Authentication Error, Malformed API Key passed in. Ensure Key has"
                " `Bearer ` prefix.",
                "type": "auth_error",
                "param": "None",
                "code": "401",
            },
        ),
        (
            {"authorization": "Bearer sk-wrong"},
            400,
            {
                "message": "No connected db.",
                "type": "no_db_connection",
                "param": None,
                "code": "400",
            },
        ),
    ],
)
async def test_keys(
    http: httpx.AsyncClient, headers: dict[str, str], status: int, error: dict[str, Any]
) -> None:
    async with proxy() as server:
        answer = await http.post(server.origin + "/v1/chat/completions", json=HI, headers=headers)
    assert (answer.status_code, answer.json()) == (status, {"error": error})
    assert "x-litellm-call-id" not in answer.headers


async def test_wrong_key_with_a_database(http: httpx.AsyncClient) -> None:
    async with proxy(database=True) as server:
        answer = await http.get(
            server.origin + "/v1/models", headers={"authorization": "Bearer sk-wrong"}
        )
    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "token_not_found_in_db"


async def test_x_api_key_works_on_chat(http: httpx.AsyncClient) -> None:
    async with proxy() as server:
        url = server.origin + "/v1/chat/completions"
        assert (await http.post(url, json=HI, headers={"x-api-key": MASTER})).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/v1/nonsense", 404, {"detail": "Not Found"}),
        ("POST", "/v1/v1/chat/completions", 404, {"detail": "Not Found"}),
        ("GET", "/version", 404, {"detail": "Not Found"}),
        ("GET", "/v1/chat/completions", 405, {"detail": "Method Not Allowed"}),
        ("GET", "/health/liveliness", 200, "I'm alive!"),
        ("GET", "/health/readiness", 200, {"status": "healthy", "db": "Not connected"}),
    ],
)
async def test_routes_come_before_keys(
    http: httpx.AsyncClient, method: str, path: str, status: int, body: object
) -> None:
    async with proxy() as server:
        answer = await http.request(method, server.origin + path)
    assert (answer.status_code, answer.json()) == (status, body)


async def test_trailing_slash(http: httpx.AsyncClient) -> None:
    async with proxy() as server:
        url = server.origin + "/v1/chat/completions"
        answer = await http.post(url + "/", json=HI, headers=BEARER)
    assert (answer.status_code, answer.headers["location"]) == (307, url)


async def test_root_is_a_page(http: httpx.AsyncClient) -> None:
    async with proxy() as server:
        answer = await http.get(server.origin)
    assert answer.headers["content-type"].startswith("text/html")
    assert "LiteLLM API - Swagger UI" in answer.text


async def test_models(http: httpx.AsyncClient) -> None:
    async with proxy() as server:
        value = (await http.get(server.origin + "/v1/models", headers=BEARER)).json()
    card = {"id": "qwen3-8b", "object": "model", "created": 1677610602, "owned_by": "openai"}
    assert value == {"data": [card], "object": "list"}


@pytest.mark.parametrize(
    ("path", "body", "start"),
    [
        ("/v1/chat/completions", HI, "/chat/completions"),
        ("/v1/messages", {**HI, "max_tokens": 1}, "anthropic_messages"),
        ("/v1/responses", {"input": "hi"}, "/responses"),
    ],
)
async def test_unknown_model(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], start: str
) -> None:
    async with proxy() as server:
        sent = {**body, "model": "nope"}
        answer = await http.post(server.origin + path, json=sent, headers=BEARER)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == (
        f"{start}: Invalid model name passed in model=nope. Call `/v1/models` to view available"
        " models for your key."
    )
    assert (answer.json().get("type") == "error") is (path == "/v1/messages")
    assert "x-litellm-call-id" in answer.headers


async def test_chat_and_stream(http: httpx.AsyncClient) -> None:
    async with proxy() as server:
        for path in ("/v1/chat/completions", "/chat/completions"):
            answer = await http.post(server.origin + path, json=HI, headers=BEARER)
            assert answer.json()["choices"][0]["message"]["content"] == "ok"
        assert answer.headers["x-litellm-model-group"] == "qwen3-8b"
        assert answer.headers["x-litellm-version"] == "1.108.7"
        stream = await http.post(server.origin + path, json={**HI, "stream": True}, headers=BEARER)
    assert stream.text.endswith("data: [DONE]\n\n")
    assert stream.headers["x-accel-buffering"] == "no"


TAIL = "\n\nLiteLLM: model group '{0}' failed with the error above. No fallback was attempted."


@pytest.mark.parametrize(
    ("group", "status", "kind", "message"),
    [
        (
            "badkey",
            401,
            "authentication_error",
            "litellm.AuthenticationError: AuthenticationError: OpenAIException - Error code: 401",
        ),
        (
            "badmodel",
            404,
            "invalid_request_error",
            "litellm.NotFoundError: NotFoundError: OpenAIException - The model `nope` does not"
            " exist. Valid aliases: tiny.",
        ),
        (
            "nov1",
            404,
            "invalid_request_error",
            "litellm.NotFoundError: NotFoundError: OpenAIException - Error code: 404",
        ),
        (
            "dead",
            500,
            "internal_server_error",
            "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error.",
        ),
        (
            "good",
            400,
            "BadRequestError",
            "litellm.BadRequestError: OpenAIException - max_tokens=80000 cannot be greater than"
            " max_model_len=4096. Please request fewer output tokens. (parameter=max_tokens,"
            " value=80000)",
        ),
    ],
)
async def test_failures_of_the_engine(
    http: httpx.AsyncClient, group: str, status: int, kind: str, message: str
) -> None:
    async with LoopbackServer(Vllm(VllmConfig(api_keys=(ENGINE,)))) as engine:
        base = engine.origin + "/v1"
        groups = (
            Group("good", upstream=base, upstream_key=ENGINE),
            Group("badkey", upstream=base, upstream_key="sk-wrong"),
            Group("badmodel", model="nope", upstream=base, upstream_key=ENGINE),
            Group("nov1", upstream=engine.origin, upstream_key=ENGINE),
            Group("dead", upstream="http://127.0.0.1:9/v1"),
        )
        async with proxy(groups=groups) as server:
            body = {**HI, "model": group, "max_tokens": 80000 if group == "good" else 8}
            url = server.origin + "/v1/chat/completions"
            answer = await http.post(url, json=body, headers=BEARER)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, str(status))
    assert (error["type"], error["message"]) == (kind, message + TAIL.format(group))


async def test_engine_behind_answers_under_the_groups_name(http: httpx.AsyncClient) -> None:
    async with LoopbackServer(Vllm()) as engine:
        groups = (Group("qwen3-8b", upstream=engine.origin + "/v1"),)
        async with proxy(groups=groups) as server:
            url = server.origin + "/v1/chat/completions"
            answer = await http.post(url, json=HI, headers=BEARER)
            stream = await http.post(url, json={**HI, "stream": True}, headers=BEARER)
    assert answer.json()["model"] == "qwen3-8b"
    assert answer.headers["x-litellm-model-api-base"] == engine.origin + "/v1"
    assert '"model":"qwen3-8b"' in stream.text
    assert "tiny" not in stream.text


async def test_html_from_the_engine_is_named(http: httpx.AsyncClient) -> None:
    config = VllmConfig(faults={"*": Fault.HTML_PAGE})
    async with LoopbackServer(Vllm(config)) as engine:
        groups = (Group("qwen3-8b", upstream=engine.origin + "/v1"),)
        async with proxy(groups=groups) as server:
            url = server.origin + "/v1/chat/completions"
            answer = await http.post(url, json=HI, headers=BEARER)
    assert "Empty or invalid response from LLM endpoint. Received: '<!doctype" in answer.text
