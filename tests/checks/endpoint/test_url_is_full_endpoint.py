"""KVD204 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.bases import Convention, guesses
from doctor.connection import Protocol
from doctor.urls import read

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


@pytest.mark.parametrize(
    "path",
    ["/api/generate", "/api/chat", "/api/embeddings", "/api/tags", "/generate", "/completion"],
)
def test_an_endpoint_of_a_servers_own_api_is_never_given_a_version(path: str) -> None:
    seen = look("http://localhost:11434" + path)
    assert seen.codes == ["KVD204"]
    assert [c.value for c in seen.findings["KVD204"].changes] == ["http://localhost:11434"]
    assert path in seen.findings["KVD204"].title


def test_what_remains_of_it_is_examined_for_the_version() -> None:
    seen = look("http://localhost:11434/api/generate", serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD204", "KVD201"], "http://localhost:11434/v1")


def test_a_client_that_takes_the_whole_endpoint_gets_its_own() -> None:
    whole = Convention(Protocol.OPENAI_CHAT, ())
    given = read("http://localhost:11434/api/generate").base
    assert given is not None
    (only,) = guesses(given, whole)
    assert only.base == "http://localhost:11434/v1/chat/completions"


@pytest.mark.parametrize("path", ["/v1/rerank", "/v1/images/generations", "/api/v1/generate"])
def test_endpoints_of_other_kinds_below_a_version(path: str) -> None:
    version, _slash, _rest = path.partition("v1/")
    assert look(HOST + path, serving(version + "v1")).base == HOST + version + "v1"


@pytest.mark.parametrize("path", ["/llm/api/chat", "/api/generate/v1", "/team/embed"])
def test_a_path_that_only_resembles_one_is_none(path: str) -> None:
    assert "KVD204" not in look(HOST + path, nothing).codes
