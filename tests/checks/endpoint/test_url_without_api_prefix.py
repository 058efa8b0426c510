"""KVD202 as a user meets it."""

from __future__ import annotations

from doctor.facts.answers import Reply
from doctor.models import Confidence

from .world import ANTHROPIC, look, nothing, relay, serving, told

HOST = "https://gateway.example"
MESSAGES = ("/v1/messages",)


def test_a_prefix_between_host_and_version() -> None:
    seen = look(HOST + "/v1", relay("/api/v1"))
    assert (seen.roots, seen.base) == (["KVD202"], HOST + "/api/v1")
    assert "lacks /api" in seen.findings["KVD202"].title


def test_prefix_and_version_missing_together_are_one_fault() -> None:
    seen = look(HOST, relay("/api/v1"))
    assert (seen.roots, seen.base) == (["KVD202"], HOST + "/api/v1")


def test_claude_relay_serves_below_api() -> None:
    def otherwise(method: str, url: str) -> Reply:
        body = '{"error":"Not Found","message":"Route /v1/messages?beta=true not found"}'
        return nothing(method, url, body)

    server = serving("/api", endpoints=MESSAGES, otherwise=otherwise)
    seen = look("http://relay.example.com:3000", server, **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD202"], "http://relay.example.com:3000/api")
    assert "would want it with /v1: http://relay.example.com:3000/api/v1" in seen.said("KVD202")


def test_anthropic_apis_below_a_path_of_their_own() -> None:
    seen = look(HOST, serving("/anthropic", endpoints=MESSAGES), **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD202"], HOST + "/anthropic")


def test_taotoken_is_known_offline_for_both_families() -> None:
    openai = look("https://taotoken.net").findings["KVD202"]
    assert openai.title == "The base URL lacks /api/v1"
    assert openai.confidence is Confidence.HIGH
    assert [c.value for c in openai.changes] == ["https://taotoken.net/api/v1"]
    assert "Anthropic SDKs want https://taotoken.net/api there." in told(openai)
    anthropic = look("https://taotoken.net", **ANTHROPIC).findings["KVD202"]
    assert anthropic.title == "The base URL lacks /api"
    assert [c.value for c in anthropic.changes] == ["https://taotoken.net/api"]


def test_only_one_finding_speaks_of_a_known_provider() -> None:
    assert look("https://taotoken.net").codes == ["KVD202"]
    assert look("https://taotoken.net/v1").codes == ["KVD202"]


def test_a_right_base_is_left_alone() -> None:
    assert look(HOST + "/api/v1", relay("/api/v1")).codes == []
    assert look("https://taotoken.net/api/v1").codes == []
