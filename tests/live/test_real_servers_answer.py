"""The real servers answer as the servers of ``kvdoctor demo`` pretend to.

The demo copies these answers; here they are held against the originals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .servers import Route, RunningServer, start_litellm

MESSAGES = [{"role": "user", "content": "hi"}]
WRONG_KEY = "sk-live-wrong-made-up-key"
NO_DATABASE = {
    "error": {
        "message": "No connected db.",
        "type": "no_db_connection",
        "param": None,
        "code": "400",
    }
}


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=60.0) as client:
        yield client


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def chat(client: httpx.Client, server: RunningServer, model: str, **more: object) -> httpx.Response:
    return client.post(
        f"{server.base_url}/chat/completions",
        headers=bearer(server.api_key),
        json={"model": model, "messages": MESSAGES, **more},
    )


def events(answer: httpx.Response) -> list[str]:
    """The data of each event of a stream."""
    return [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line.strip()]


def said(chunks: list[Any]) -> str:
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


class TestVllm:
    def test_version_and_health_need_no_key(
        self, http: httpx.Client, vllm_server: RunningServer
    ) -> None:
        assert http.get(f"{vllm_server.root_url}/version").json() == {"version": "0.32.0"}
        health = http.get(f"{vllm_server.root_url}/health")
        assert (health.status_code, health.text) == (200, "")

    @pytest.mark.parametrize(
        "headers",
        [{}, bearer(WRONG_KEY), {"x-api-key": "sk-live-vllm-made-up-key"}],
        ids=["no key", "wrong key", "x-api-key"],
    )
    def test_without_the_right_bearer_key_it_is_unauthorized(
        self, http: httpx.Client, vllm_server: RunningServer, headers: dict[str, str]
    ) -> None:
        answer = http.get(f"{vllm_server.base_url}/models", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["server"] == "uvicorn"
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == {"error": "Unauthorized"}

    def test_models(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        answer = http.get(f"{vllm_server.base_url}/models", headers=bearer(vllm_server.api_key))
        assert answer.status_code == 200
        listed = answer.json()
        assert listed["object"] == "list"
        [model] = listed["data"]
        assert set(model) == {
            "id",
            "object",
            "created",
            "owned_by",
            "root",
            "parent",
            "max_model_len",
            "permission",
        }
        assert model["id"] == "tiny"
        assert model["object"] == "model"
        assert model["owned_by"] == "vllm"
        assert model["parent"] is None
        assert model["max_model_len"] == 2048
        assert model["permission"][0]["object"] == "model_permission"

    def test_chat(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        answer = chat(http, vllm_server, "tiny")
        assert answer.status_code == 200
        completion = answer.json()
        assert completion["object"] == "chat.completion"
        assert completion["model"] == "tiny"
        [choice] = completion["choices"]
        assert choice["message"]["role"] == "assistant"
        assert choice["message"]["content"] == "ok"
        assert choice["finish_reason"] == "stop"
        assert completion["usage"]["completion_tokens"] == 2

    def test_streamed_chat(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        answer = chat(http, vllm_server, "tiny", stream=True)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        *chunks, last = events(answer)
        assert last == "[DONE]"
        parsed = [json.loads(chunk) for chunk in chunks]
        assert {chunk["object"] for chunk in parsed} == {"chat.completion.chunk"}
        assert said(parsed) == "ok"
        assert parsed[-1]["choices"][0]["finish_reason"] == "stop"

    def test_a_long_answer_on_request(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        """What the bench tests need: a stream of any length."""
        answer = chat(http, vllm_server, "tiny", max_tokens=64, ignore_eos=True)
        completion = answer.json()
        assert completion["choices"][0]["message"]["content"] == "ok" * 32
        assert completion["choices"][0]["finish_reason"] == "length"
        assert completion["usage"]["completion_tokens"] == 64

    def test_unknown_model(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        answer = chat(http, vllm_server, "Tiny")
        assert answer.status_code == 404
        assert answer.json() == {
            "error": {
                "message": "The model `Tiny` does not exist. Valid aliases: tiny.",
                "type": "NotFoundError",
                "param": "model",
                "code": 404,
            }
        }

    def test_max_tokens_over_the_window(
        self, http: httpx.Client, vllm_server: RunningServer
    ) -> None:
        answer = chat(http, vllm_server, "tiny", max_tokens=4096)
        assert answer.status_code == 400
        assert answer.json() == {
            "error": {
                "message": "max_tokens=4096 cannot be greater than max_model_len=2048. "
                "Please request fewer output tokens. (parameter=max_tokens, value=4096)",
                "type": "BadRequestError",
                "param": "max_tokens",
                "code": 400,
            }
        }

    def test_without_v1_it_is_not_found(
        self, http: httpx.Client, vllm_server: RunningServer
    ) -> None:
        answer = http.post(
            f"{vllm_server.root_url}/chat/completions",
            headers=bearer(vllm_server.api_key),
            json={"model": "tiny", "messages": MESSAGES},
        )
        assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})

    def test_messages(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        answer = http.post(
            f"{vllm_server.base_url}/messages",
            headers=bearer(vllm_server.api_key) | {"anthropic-version": "2023-06-01"},
            json={"model": "tiny", "max_tokens": 16, "messages": MESSAGES},
        )
        assert answer.status_code == 200
        message = answer.json()
        assert message["content"] == [{"type": "text", "text": "ok"}]
        assert message["stop_reason"] == "end_turn"

    def test_the_prefix_cache_works(self, http: httpx.Client, vllm_server: RunningServer) -> None:
        messages = [{"role": "user", "content": "the prefix of this prompt is shared, " * 12}]
        usages = [
            chat(http, vllm_server, "tiny", messages=messages).json()["usage"] for _ in range(2)
        ]
        tokens = usages[0]["prompt_tokens"]
        assert tokens > 64
        assert usages[0]["prompt_tokens_details"]["cached_tokens"] == 0
        # The last token is always computed; what is cached comes in blocks of 32.
        assert usages[1]["prompt_tokens_details"]["cached_tokens"] == (tokens - 1) // 32 * 32


class TestLiteLLM:
    def test_health_needs_no_key(self, http: httpx.Client, litellm_server: RunningServer) -> None:
        answer = http.get(f"{litellm_server.root_url}/health/readiness")
        assert answer.json() == {"status": "healthy", "db": "Not connected"}

    def test_models(self, http: httpx.Client, litellm_server: RunningServer) -> None:
        answer = http.get(
            f"{litellm_server.base_url}/models", headers=bearer(litellm_server.api_key)
        )
        assert answer.status_code == 200
        [model] = answer.json()["data"]
        assert model["id"] == "qwen3-8b"
        assert model["owned_by"] == "openai"

    def test_chat(self, http: httpx.Client, litellm_server: RunningServer) -> None:
        answer = chat(http, litellm_server, "qwen3-8b")
        assert answer.status_code == 200
        assert answer.headers["x-litellm-version"].startswith("1.108.")
        assert answer.headers["x-litellm-model-group"] == "qwen3-8b"
        completion = answer.json()
        assert completion["model"] == "qwen3-8b"
        [choice] = completion["choices"]
        assert choice["message"]["content"] == "ok"
        assert choice["finish_reason"] == "stop"

    def test_streamed_chat(self, http: httpx.Client, litellm_server: RunningServer) -> None:
        answer = chat(http, litellm_server, "qwen3-8b", stream=True)
        assert answer.status_code == 200
        *chunks, last = events(answer)
        assert last == "[DONE]"
        parsed = [json.loads(chunk) for chunk in chunks]
        assert said(parsed) == "ok"
        assert parsed[-1]["choices"][0]["finish_reason"] == "stop"

    def test_without_a_database_a_wrong_key_is_a_bad_request(
        self, http: httpx.Client, litellm_server: RunningServer
    ) -> None:
        answer = http.get(f"{litellm_server.base_url}/models", headers=bearer(WRONG_KEY))
        assert (answer.status_code, answer.json()) == (400, NO_DATABASE)

    def test_without_a_key_it_is_unauthorized(
        self, http: httpx.Client, litellm_server: RunningServer
    ) -> None:
        answer = http.get(f"{litellm_server.base_url}/models")
        assert answer.status_code == 401
        assert answer.json() == {
            "error": {
                "message": "Authentication Error, No api key passed in.",
                "type": "auth_error",
                "param": "None",
                "code": "401",
            }
        }

    def test_unknown_model(self, http: httpx.Client, litellm_server: RunningServer) -> None:
        answer = chat(http, litellm_server, "nope")
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert error["message"] == (
            "/chat/completions: Invalid model name passed in model=nope. "
            "Call `/v1/models` to view available models for your key."
        )
        assert error["type"] == "invalid_request_error"

    def test_the_engines_refusal_comes_through(
        self, http: httpx.Client, litellm_server: RunningServer
    ) -> None:
        answer = chat(http, litellm_server, "qwen3-8b", max_tokens=4096)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert error["message"] == (
            "litellm.BadRequestError: OpenAIException - max_tokens=4096 cannot be greater than "
            "max_model_len=2048. Please request fewer output tokens. "
            "(parameter=max_tokens, value=4096)\n\n"
            "LiteLLM: model group 'qwen3-8b' failed with the error above. "
            "No fallback was attempted."
        )
        assert error["param"] == "max_tokens"

    def test_engine_down(self, http: httpx.Client, litellm_engine_down: RunningServer) -> None:
        """The gateway lists the model all the same and fails the chat with a 500."""
        key = bearer(litellm_engine_down.api_key)
        listed = http.get(f"{litellm_engine_down.base_url}/models", headers=key)
        assert [model["id"] for model in listed.json()["data"]] == ["qwen3-8b"]
        answer = chat(http, litellm_engine_down, "qwen3-8b")
        assert answer.status_code == 500
        assert answer.json()["error"]["message"] == (
            "litellm.InternalServerError: InternalServerError: OpenAIException - "
            "Connection error.\n\n"
            "LiteLLM: model group 'qwen3-8b' failed with the error above. "
            "No fallback was attempted."
        )

    def test_without_prisma_a_missing_key_crashes(self, http: httpx.Client) -> None:
        """``pip install litellm[proxy]`` alone: no JSON and no 401."""
        route = Route("qwen3-8b", "openai/tiny", "http://127.0.0.1:9/v1", "sk-live-made-up-key")
        with start_litellm([route], with_prisma=False) as server:
            answer = http.get(f"{server.base_url}/models")
            assert (answer.status_code, answer.text) == (500, "Internal Server Error")
            assert answer.headers["content-type"] == "text/plain; charset=utf-8"
            answer = http.get(f"{server.base_url}/models", headers=bearer(WRONG_KEY))
            assert (answer.status_code, answer.json()) == (400, NO_DATABASE)
