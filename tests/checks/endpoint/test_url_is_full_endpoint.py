"""KVD204 as a user meets it."""

from __future__ import annotations

import pytest

from .world import ANTHROPIC, look, nothing, relay, serving

HOST = "https://gateway.example"


@pytest.mark.parametrize(
    "tail", ["/chat/completions", "/completions", "/messages", "/responses", "/models"]
)
def test_an_endpoint_is_cut_off(tail: str) -> None:
    seen = look(f"{HOST}/v1{tail}", serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD204"], HOST + "/v1")
    assert tail in seen.findings["KVD204"].title


def test_the_doubled_path_of_the_report_is_shown() -> None:
    body = '{"error":{"message":"Invalid URL (POST /v1/chat/completions/chat/completions)"}}'
    seen = look(
        "https://api.openai.com/v1/chat/completions",
        lambda method, url: nothing(method, url, body),
    )
    said = seen.said("KVD204")
    assert "https://api.openai.com/v1/chat/completions/chat/completions" in said
    assert [c.value for c in seen.findings["KVD204"].changes] == ["https://api.openai.com/v1"]
    assert "the endpoint stands in the address twice" in said


def test_an_anthropic_client_loses_the_version_with_it() -> None:
    server = serving("/api", endpoints=("/v1/messages",))
    seen = look(HOST + "/api/v1/messages", server, **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD204"], HOST + "/api")


def test_a_second_fault_behind_it_is_met_next() -> None:
    seen = look(HOST + "/chat/completions", relay())
    assert (seen.roots, seen.base) == (["KVD204", "KVD201"], HOST + "/v1")


def test_on_a_known_host_one_change_is_enough() -> None:
    finding = look("https://taotoken.net/v1/chat/completions").findings["KVD204"]
    assert [change.value for change in finding.changes] == ["https://taotoken.net/api/v1"]


def test_a_page_called_models_is_no_endpoint() -> None:
    assert look("https://taotoken.net/models").codes == ["KVD215"]
