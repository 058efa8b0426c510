"""KVD211 as a user meets it."""

from __future__ import annotations

import pytest

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
