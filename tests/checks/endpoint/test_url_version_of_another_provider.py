"""KVD211 as a user meets it."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind, Reply
from doctor.models import Confidence

from .world import ANTHROPIC, always, look, nothing, serving, told

HOST = "https://gateway.example"


def test_dashscopes_native_path_is_known_offline() -> None:
    finding = look("https://dashscope.aliyuncs.com/api/v1").findings["KVD211"]
    assert finding.confidence is Confidence.HIGH
    assert [(c.value, c.guess) for c in finding.changes] == [
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", False)
    ]
    assert "https://dashscope.aliyuncs.com/apps/anthropic" in told(finding)


def test_dashscopes_native_path_is_proved() -> None:
    def otherwise(method: str, url: str) -> Reply:
        return nothing(method, url, "")

    server = serving("/compatible-mode/v1", otherwise=otherwise)
    seen = look("https://dashscope.aliyuncs.com/api/v1", server)
    assert seen.roots == ["KVD211"]
    assert "404 (application/json) without a body" in seen.said("KVD211")


@pytest.mark.parametrize("path", ["/v4", "/api/v3", "/compatible-mode/v1", "/v1beta/openai"])
def test_another_providers_path_on_an_unknown_server(path: str) -> None:
    seen = look(HOST + path, serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD211"], HOST + "/v1")
    assert path in seen.findings["KVD211"].title


def test_an_api_prefix_that_the_server_does_not_have() -> None:
    seen = look("http://127.0.0.1:9999/api/v1", serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD211"], "http://127.0.0.1:9999/v1")
    anthropic = look(HOST + "/api", serving("", endpoints=("/v1/messages",)), **ANTHROPIC)
    assert (anthropic.roots, anthropic.base) == (["KVD211"], HOST)


def test_a_path_that_the_table_does_not_have_is_doubted_less_when_something_answers() -> None:
    refused = always(OutcomeKind.KEY_REFUSED, 401)
    finding = look("https://api.z.ai/api/new/v5", refused).findings["KVD211"]
    assert finding.confidence is Confidence.MEDIUM


@pytest.mark.parametrize(
    "base",
    [
        "https://api.z.ai/api/paas/v4",
        "https://api.z.ai/api/coding/paas/v4",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "https://ark.cn-beijing.volces.com/api/v3",
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ],
)
def test_the_providers_own_paths_are_right(base: str) -> None:
    assert look(base).codes == []


GOOGLE = "https://generativelanguage.googleapis.com/v1beta"
ROUTER = "claude-code-router"
NATIVE: dict[str, Any] = {"client": ROUTER, "protocol": Protocol.GEMINI_GENERATE}


def test_the_router_s_transformer_gemini_wants_googles_own_path() -> None:
    finding = look(f"{GOOGLE}/openai/", **NATIVE).findings["KVD211"]
    assert [change.value for change in finding.changes] == [f"{GOOGLE}/models/"]
    assert "transformer gemini" in told(finding)
    assert look(f"{GOOGLE}/models/", **NATIVE).codes == []


def test_googles_own_path_without_that_transformer() -> None:
    finding = look(f"{GOOGLE}/models/", client=ROUTER).findings["KVD211"]
    assert [change.value for change in finding.changes] == [f"{GOOGLE}/openai/chat/completions"]
    assert '"use": ["gemini"]' in told(finding)


def test_the_path_of_another_api_on_an_unknown_server_of_googles_api() -> None:
    server = serving("/v1beta/models", endpoints=("/m:streamGenerateContent",))
    seen = look(f"{HOST}/v1beta/openai/", server, model="m", **NATIVE)
    assert (seen.roots, seen.base) == (["KVD211"], f"{HOST}/v1beta/models/")


def test_the_slash_that_the_router_needs() -> None:
    finding = look(f"{GOOGLE}/models", **NATIVE).findings["KVD217"]
    assert finding.title == "The base URL lacks the slash at its end"
    assert [change.value for change in finding.changes] == [f"{GOOGLE}/models/"]
