"""The engine, line by line against facts/observed/vllm-0.32.0-http-probe.txt."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from doctor.demo.faults import Fault
from doctor.demo.http import LoopbackServer
from doctor.demo.vllm import Vllm, VllmConfig

HI: dict[str, Any] = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
BEARER = {"authorization": "Bearer k1"}
NAMES = "Valid aliases: tiny, alias2."


@pytest.fixture
async def engine() -> AsyncIterator[LoopbackServer]:
    config = VllmConfig(models=("tiny", "alias2"), max_model_len=256, api_keys=("k1", "k2"))
    async with LoopbackServer(Vllm(config)) as server:
        yield server


@pytest.fixture
async def client(engine: LoopbackServer, http: httpx.AsyncClient) -> httpx.AsyncClient:
    """The engine's URL and a good key set on the shared client."""
    http.base_url = httpx.URL(engine.origin)
    http.headers.update(BEARER)
    return http


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer bad"},
        {"authorization": "k1"},
        {"authorization": "Bearer  k1"},
        {"x-api-key": "k1"},
    ],
)
@pytest.mark.parametrize("path", ["/v1/models", "/v1/messages", "/v2/embed", "/v1/v1/x"])
async def test_401_before_routing(
    http: httpx.AsyncClient, engine: LoopbackServer, headers: dict[str, str], path: str
) -> None:
    answer = await http.get(engine.origin + path, headers=headers)
    assert (answer.status_code, answer.text) == (401, '{"error":"Unauthorized"}')
    assert "www-authenticate" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/health", 200, ""),
        ("GET", "/ping", 200, ""),
        ("GET", "/version", 200, '{"version":"0.32.0"}'),
        ("GET", "/load", 200, '{"server_load":0}'),
        ("GET", "/kv_event_sources", 200, "{}"),
        ("GET", "/server_info", 404, '{"detail":"Not Found"}'),
        ("GET", "/", 404, '{"detail":"Not Found"}'),
        ("POST", "/chat/completions", 404, '{"detail":"Not Found"}'),
        ("POST", "//v1/chat/completions", 404, '{"detail":"Not Found"}'),
        ("OPTIONS", "/v1/models", 405, '{"detail":"Method Not Allowed"}'),
    ],
)
async def test_open_without_a_key(
    http: httpx.AsyncClient, engine: LoopbackServer, method: str, path: str, status: int, body: str
) -> None:
    answer = await http.request(method, engine.origin + path)
    assert (answer.status_code, answer.text) == (status, body)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/models/tiny", 404),
        ("GET", "/v1", 404),
        ("GET", "/v1/chat/completions", 405),
        ("POST", "/v1/chat/completion", 404),
        ("POST", "/v1/v1/chat/completions", 404),
        ("POST", "/v1/embeddings", 404),
    ],
)
async def test_wrong_urls_with_a_good_key(
    client: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path, json=HI if method == "POST" else None)
    assert answer.status_code == status
    assert set(answer.json()) == {"detail"}


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/models/"), ("POST", "/v1/chat/completions/")]
)
async def test_trailing_slash_is_307(client: httpx.AsyncClient, method: str, path: str) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{client.base_url}".rstrip("/") + path[:-1]


async def test_models(client: httpx.AsyncClient) -> None:
    listed = (await client.get("/v1/models", headers={"authorization": "bearer k2"})).json()
    assert listed["object"] == "list"
    assert [card["id"] for card in listed["data"]] == ["tiny", "alias2"]
    card = listed["data"][0]
    assert (card["owned_by"], card["root"], card["parent"]) == ("vllm", "tiny-model", None)
    assert card["max_model_len"] == 256


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {**HI, "model": "nope"}),
        ("/v1/completions", {"model": "nope", "prompt": "hi"}),
        ("/v1/responses", {"model": "nope", "input": "hi"}),
        ("/tokenize", {"model": "nope", "prompt": "hi"}),
    ],
)
async def test_unknown_model(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> None:
    answer = await client.post(path, json=body)
    assert answer.status_code == 404
    assert answer.json() == {
        "error": {
            "message": f"The model `nope` does not exist. {NAMES}",
            "type": "NotFoundError",
            "param": "model",
            "code": 404,
        }
    }


async def test_unknown_model_in_anthropic_form(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/messages", json={**HI, "model": "nope", "max_tokens": 4})
    message = f"The model `nope` does not exist. {NAMES}"
    expected = {"type": "error", "error": {"type": "NotFoundError", "message": message}}
    assert (answer.status_code, answer.json()) == (404, expected)


async def test_without_a_model_the_first_serves(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/chat/completions", json={"messages": HI["messages"]})
    assert (answer.status_code, answer.json()["model"]) == (200, "tiny")


TOO_FEW = "max_tokens must be at least 1, got {0}. (parameter=max_tokens, value={0})"
TOO_MANY = (
    "{0}={1} cannot be greater than max_model_len=256. Please request fewer output tokens."
    " (parameter={0}, value={1})"
)


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/v1/chat/completions", {**HI, "max_tokens": 257}, TOO_MANY.format("max_tokens", 257)),
        (
            "/v1/chat/completions",
            {**HI, "max_completion_tokens": 300, "max_tokens": 1},
            TOO_MANY.format("max_completion_tokens", 300),
        ),
        ("/v1/chat/completions", {**HI, "max_tokens": 0}, TOO_FEW.format(0)),
        ("/v1/chat/completions", {**HI, "max_tokens": -1}, TOO_FEW.format(-1)),
        (
            "/v1/responses",
            {"model": "tiny", "input": "hi", "max_output_tokens": 500},
            TOO_MANY.format("max_output_tokens", 500),
        ),
        (
            "/v1/completions",
            {"model": "tiny", "prompt": [5] * 256, "max_tokens": 1},
            TOO_FEW.format(0),
        ),
        (
            "/v1/completions",
            {"model": "tiny", "prompt": [5] * 257, "max_tokens": 1},
            "This model's maximum context length is 256 tokens. However, your prompt contains at"
            " least 257 input tokens, which exceeds this limit even without any output tokens."
            " Please reduce the length of the input prompt. (parameter=input_tokens, value=257)",
        ),
        (
            "/v1/completions",
            {"model": "tiny", "prompt": [5] * 300, "max_tokens": 1},
            "This model's maximum context length is 256 tokens. However, your prompt contains 300"
            " input tokens, which exceeds this limit even without any output tokens. Please"
            " reduce the length of the input prompt. (parameter=input_tokens, value=300)",
        ),
        (
            "/v1/completions",
            {"model": "tiny", "prompt": "x" * 5000, "max_tokens": 1},
            "This model's maximum context length is 256 tokens. However, your prompt contains 5000"
            " characters (more than 3328 characters, which is the upper bound for 256 input"
            " tokens). Please reduce the length of the input prompt."
            " (parameter=input_text, value=5000)",
        ),
    ],
)
async def test_budgets_refused(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], message: str
) -> None:
    answer = await client.post(path, json=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["message"] == message
    assert (error["type"], error["code"]) == ("BadRequestError", 400)


async def test_messages_budget_names_another_field(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/messages", json={**HI, "max_tokens": 400})
    message = TOO_MANY.format("max_completion_tokens", 400)
    assert answer.json() == {
        "type": "error",
        "error": {"type": "BadRequestError", "message": message},
    }


@pytest.mark.parametrize("max_tokens", [250, 255, 256])
async def test_the_sum_is_clamped(client: httpx.AsyncClient, max_tokens: int) -> None:
    answer = await client.post("/v1/chat/completions", json={**HI, "max_tokens": max_tokens})
    assert answer.status_code == 200


async def test_before_0_32_the_sum_is_refused(http: httpx.AsyncClient) -> None:
    config = VllmConfig(version="0.31.0", max_model_len=256)
    async with LoopbackServer(Vllm(config)) as server:
        url = server.origin + "/v1/chat/completions"
        answer = await http.post(url, json={**HI, "max_tokens": 250})
        text = "you requested 250 output tokens and your prompt contains 11 input tokens"
        assert answer.status_code == 400
        assert f"{text}, for a total of 261 tokens" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "content", "message", "param"),
    [
        (
            "/v1/chat/completions",
            b"{bad",
            "1 validation error:\n  {'type': 'json_invalid', 'loc': 'body.1', 'msg': 'JSON decode"
            " error', 'input': '<dict of 0 items>', 'ctx': {'error': 'Expecting property name"
            " enclosed in double quotes'}}",
            "body.1",
        ),
        (
            "/v1/chat/completions",
            b'{"model":"tiny"}',
            "1 validation error:\n  {'type': 'missing', 'loc': 'body.messages', 'msg': 'Field"
            " required', 'input': '<dict of 1 items>'}",
            "body.messages",
        ),
        (
            "/v1/messages",
            json.dumps(HI).encode(),
            "1 validation error:\n  {'type': 'missing', 'loc': 'body.max_tokens', 'msg': 'Field"
            " required', 'input': '<dict of 2 items>'}",
            "body.max_tokens",
        ),
        (
            "/v1/chat/completions",
            b"[]",
            "1 validation error:\n  {'type': 'model_attributes_type', 'loc': 'body', 'msg': 'Input"
            " should be a valid dictionary or object to extract fields from', 'input': '<list of"
            " 0 items>'}",
            "body",
        ),
    ],
)
async def test_validation(
    client: httpx.AsyncClient, path: str, content: bytes, message: str, param: str
) -> None:
    kind = {"content-type": "application/json"}
    answer = await client.post(path, content=content, headers=kind)
    expected = {"message": message, "type": "Bad Request", "param": param, "code": 400}
    assert (answer.status_code, answer.json()) == (400, {"error": expected})


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            {"temperature": -1},
            "temperature must be non-negative, got -1.0. (parameter=temperature, value=-1.0)",
        ),
        ({"n": 0}, "n must be at least 1, got 0."),
        (
            {"messages": []},
            "Cannot apply chat template to an empty conversation. Provide at least one message.",
        ),
        (
            {"tools": [{"type": "function", "function": {"name": "f"}}]},
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be'
            " set",
        ),
    ],
)
async def test_parameters(client: httpx.AsyncClient, extra: dict[str, Any], message: str) -> None:
    answer = await client.post("/v1/chat/completions", json={**HI, **extra})
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, message)


async def test_wrong_content_type(client: httpx.AsyncClient) -> None:
    kind = {"content-type": "text/plain"}
    answer = await client.post("/v1/chat/completions", content=b"", headers=kind)
    assert "Unsupported Media Type" in answer.json()["error"]["message"]


async def test_chat(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/chat/completions", json={**HI, "max_tokens": 8})
    value = answer.json()
    assert value["choices"][0]["message"]["content"] == "ok"
    assert value["choices"][0]["finish_reason"] == "stop"
    usage = {"prompt_tokens": 11, "total_tokens": 14, "completion_tokens": 3}
    assert value["usage"].items() >= usage.items()
    assert value["system_fingerprint"].startswith("vllm-0.32.0-")
    # The order of the fields, as the engine writes them.
    assert list(value)[:6] == ["id", "object", "created", "model", "choices", "service_tier"]


async def test_chat_cut_at_one_token(client: httpx.AsyncClient) -> None:
    value = (await client.post("/v1/chat/completions", json={**HI, "max_tokens": 1})).json()
    choice = value["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("o", "length")


def events(text: str) -> list[dict[str, Any]]:
    return [
        json.loads(line[6:])
        for line in text.splitlines()
        if line.startswith("data: ") and line != "data: [DONE]"
    ]


async def test_chat_stream(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/chat/completions", json={**HI, "stream": True})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.text.endswith("data: [DONE]\n\n")
    chunks = events(answer.text)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas == [
        {"role": "assistant", "content": ""},
        {"content": "o"},
        {"content": "k"},
        {"content": ""},
    ]
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert not any("usage" in chunk for chunk in chunks)


async def test_usage_chunk_only_when_asked(client: httpx.AsyncClient) -> None:
    body = {**HI, "stream": True, "stream_options": {"include_usage": True}}
    chunks = events((await client.post("/v1/chat/completions", json=body)).text)
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"] == {
        "prompt_tokens": 11,
        "total_tokens": 14,
        "completion_tokens": 3,
    }


async def test_messages(client: httpx.AsyncClient) -> None:
    value = (await client.post("/v1/messages", json={**HI, "max_tokens": 8})).json()
    assert value.pop("id").startswith("chatcmpl-")
    assert value == {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "ok"}],
        "model": "tiny",
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 11, "output_tokens": 3},
    }


async def test_messages_stream(client: httpx.AsyncClient) -> None:
    body = {**HI, "max_tokens": 1, "stream": True}
    text = (await client.post("/v1/messages", json=body)).text
    names = [line[7:] for line in text.splitlines() if line.startswith("event: ")]
    assert names == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events(text)[-2]["delta"]["stop_reason"] == "max_tokens"


async def test_count_tokens(client: httpx.AsyncClient) -> None:
    value = (await client.post("/v1/messages/count_tokens", json=HI)).json()
    assert value == {"input_tokens": 11, "context_management": {"original_input_tokens": 11}}


async def test_responses(client: httpx.AsyncClient) -> None:
    body = {"model": "tiny", "input": "hi", "max_output_tokens": 8}
    value = (await client.post("/v1/responses", json=body)).json()
    assert value["output"][0]["content"][0]["text"] == "ok"
    assert (value["status"], value["incomplete_details"]) == ("completed", None)
    cut = (await client.post("/v1/responses", json={**body, "max_output_tokens": 1})).json()
    assert cut["incomplete_details"] == {"reason": "max_output_tokens"}


async def test_responses_stream(client: httpx.AsyncClient) -> None:
    body = {"model": "tiny", "input": "hi", "stream": True}
    text = (await client.post("/v1/responses", json=body)).text
    kinds = [event["type"].removeprefix("response.") for event in events(text)]
    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in events(text)] == list(range(10))
    assert "[DONE]" not in text


async def test_tokenize(http: httpx.AsyncClient, engine: LoopbackServer) -> None:
    answer = await http.post(engine.origin + "/tokenize", json={"model": "tiny", "prompt": "hi"})
    assert answer.text == '{"count":2,"max_model_len":256,"tokens":[71,72],"token_strs":null}'
    chat = (await http.post(engine.origin + "/tokenize", json=HI)).json()
    assert chat["count"] == 11
    back = await http.post(engine.origin + "/detokenize", json={"tokens": [1, 2]})
    assert back.json() == {"prompt": '"#'}


async def test_invocations_need_no_key(http: httpx.AsyncClient, engine: LoopbackServer) -> None:
    body = {"model": "tiny", "prompt": "hi", "max_tokens": 2}
    value = (await http.post(engine.origin + "/invocations", json=body)).json()
    assert (value["object"], value["choices"][0]["text"]) == ("text_completion", "ok")
    assert (await http.post(engine.origin + "/invocations", json=HI)).status_code == 200


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_metrics_parse_and_count(client: httpx.AsyncClient) -> None:
    before = samples((await client.get("/metrics")).text)
    await client.post("/v1/chat/completions", json={**HI, "max_tokens": 8})
    answer = await client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=1.0.0; charset=utf-8"
    after = samples(answer.text)
    grown = {key: after[key] - before[key] for key in after if after[key] != before[key]}
    assert {name for name, _ in grown} == {
        "vllm:prompt_tokens_total",
        "vllm:generation_tokens_total",
        "vllm:prefix_cache_queries_total",
        "vllm:request_success_total",
    }
    assert sum(grown.values()) == 11 + 3 + 11 + 1


async def test_metrics_to_order(http: httpx.AsyncClient) -> None:
    engine = Vllm(
        VllmConfig(
            models=("m",),
            metrics={"vllm:kv_cache_usage_perc": 0.97},
            cache_config={"enable_prefix_caching": "False", "block_size": "16"},
        )
    )
    async with LoopbackServer(engine) as server:
        engine.metrics.values["vllm:num_requests_waiting"] = 12
        text = (await http.get(server.origin + "/metrics")).text
    named = {name: value for (name, _), value in samples(text).items()}
    assert named["vllm:kv_cache_usage_perc"] == 0.97
    assert named["vllm:num_requests_waiting"] == 12
    config = next(line for line in text.splitlines() if line.startswith("vllm:cache_config_info"))
    assert 'enable_prefix_caching="False"' in config
    assert 'block_size="16"' in config
    assert 'model_name="m"' in text
    assert "tiny" not in text


async def test_no_keys_means_open(http: httpx.AsyncClient) -> None:
    async with LoopbackServer(Vllm()) as server:
        assert (await http.get(server.origin + "/v1/models")).status_code == 200


async def test_any_route_can_fail(http: httpx.AsyncClient) -> None:
    config = VllmConfig(healthy=False, faults={"/metrics": Fault.HTML_PAGE})
    async with LoopbackServer(Vllm(config)) as server:
        assert (await http.get(server.origin + "/health")).status_code == 503
        assert "text/html" in (await http.get(server.origin + "/metrics")).headers["content-type"]
        assert (await http.get(server.origin + "/version")).status_code == 200
