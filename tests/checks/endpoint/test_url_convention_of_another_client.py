"""KVD209 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts import PRODUCT
from doctor.facts.answers import Product

from .world import ANTHROPIC, RESPONSES, Given, look, relay, serving

HOST = "https://gateway.example"
MESSAGES = ("/v1/messages",)


@pytest.mark.parametrize("prefix", ["", "/api"])
def test_an_anthropic_client_with_the_version_in_the_base(prefix: str) -> None:
    server = serving(prefix, endpoints=MESSAGES)
    seen = look(f"http://127.0.0.1:8000{prefix}/v1", server, **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD209"], f"http://127.0.0.1:8000{prefix}")
    said = seen.said("KVD209")
    assert "ends in /v1, which Anthropic SDK (Python) adds itself" in said
    assert f"{prefix}/v1/v1/messages" in said
    assert f"OpenAI clients would want it with /v1: http://127.0.0.1:8000{prefix}/v1" in said


def test_taotokens_base_for_claude_code_given_to_an_openai_client() -> None:
    seen = look("https://taotoken.net/api", relay("/api/v1"))
    assert (seen.roots, seen.base) == (["KVD209"], "https://taotoken.net/api/v1")
    said = seen.said("KVD209")
    assert "lacks /v1" in said
    assert "Anthropic SDKs want https://taotoken.net/api there" in said


def test_taotokens_base_for_openai_clients_given_to_an_anthropic_one() -> None:
    seen = look("https://taotoken.net/api/v1", serving("/api", endpoints=MESSAGES), **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD209"], "https://taotoken.net/api")


def test_an_anthropic_path_given_to_an_openai_client_of_an_unknown_gateway() -> None:
    seen = look(HOST + "/anthropic", serving("/v1"))
    assert (seen.roots, seen.base) == (["KVD209"], HOST + "/v1")


def test_each_client_with_its_own_base_is_right() -> None:
    assert look(HOST + "/v1", serving("/v1")).codes == []
    assert look(HOST, serving("", endpoints=MESSAGES), **ANTHROPIC).codes == []
    assert look("https://taotoken.net/api", **ANTHROPIC).codes == []


RELAY: Given = {PRODUCT: Product("claude-relay-service", None, ("404 Route … not found",))}


def test_the_prefix_for_claude_code_given_to_codex() -> None:
    server = serving("/openai", endpoints=("/responses",))
    seen = look(HOST + "/api", server, given=RELAY, **RESPONSES)
    assert (seen.roots, seen.base) == (["KVD209"], HOST + "/openai")
    assert len(seen.repair.trials) == 1
    assert "claude-relay-service answers in these words" in seen.said("KVD209")


def test_the_prefix_for_codex_given_to_claude_code() -> None:
    server = serving("/api", endpoints=MESSAGES)
    seen = look(HOST + "/openai", server, given=RELAY, **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD209"], HOST + "/api")


def test_the_bare_host_of_a_product_with_prefixes_lacks_one() -> None:
    server = serving("/api", endpoints=MESSAGES)
    seen = look(HOST, server, given=RELAY, **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD202"], HOST + "/api")


def test_another_server_that_speaks_like_the_product_is_found_all_the_same() -> None:
    seen = look(HOST + "/app", serving("/app/v1"), given=RELAY)
    assert (seen.roots, seen.base) == (["KVD201"], HOST + "/app/v1")
