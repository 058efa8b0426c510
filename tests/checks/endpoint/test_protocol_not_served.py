"""KVD214 as a user meets it."""

from __future__ import annotations

import json

from doctor.facts.answers import OutcomeKind, Reply
from doctor.models import Confidence, Status

from .world import ANTHROPIC, RESPONSES, always, look, nothing, page, serving

HOST = "https://gateway.example"


def test_the_models_list_proves_the_base_and_the_responses_api_is_missing() -> None:
    seen = look(HOST + "/v1", serving("/v1"), **RESPONSES)
    assert seen.codes == ["KVD214"]
    said = seen.said("KVD214")
    assert "gateway.example does not serve /responses" in said
    assert "The models list is served below the same base" in said
    assert seen.findings["KVD214"].changes == ()
    assert seen.repair.trials == ()


def test_claude_code_against_chat_completions_alone() -> None:
    seen = look(HOST, serving("/v1"), **ANTHROPIC)
    assert seen.codes == ["KVD214"]
    assert "gateway.example does not serve /v1/messages" in seen.said("KVD214")


def test_a_models_route_that_asks_for_a_key_proves_the_base_as_well() -> None:
    def server(method: str, url: str) -> Reply:
        if method == "GET":
            return always(OutcomeKind.KEY_REFUSED, 401)(method, url)
        return nothing(method, url)

    seen = look(HOST + "/v1", server, **RESPONSES)
    assert seen.codes == ["KVD214"]
    assert seen.findings["KVD214"].confidence is Confidence.HIGH


def test_a_server_that_says_so() -> None:
    seen = look(HOST + "/v1", always(OutcomeKind.NOT_SERVED, 501), **RESPONSES)
    assert seen.findings["KVD214"].confidence is Confidence.HIGH


def test_the_documented_base_of_a_provider() -> None:
    seen = look("https://api.minimax.io/v1", nothing, **RESPONSES)
    assert seen.codes == ["KVD214"]
    assert "MiniMax documents" in seen.said("KVD214")
    openai = look("https://api.openai.com", nothing, **ANTHROPIC)
    assert "OpenAI is not known to serve this API" in openai.said("KVD214")


def test_without_proof_the_responses_api_is_only_likely_to_be_missing() -> None:
    seen = look("https://api.minimax.com/v1", nothing, **RESPONSES)
    finding = seen.findings["KVD214"]
    assert finding.confidence is Confidence.MEDIUM
    assert "likely does not serve /responses" in finding.title


def no_such_route(method: str, url: str) -> Reply:
    """An API's own error about the path that was asked."""
    path = "/" + url.split("/", 3)[3]
    body = json.dumps({"error": {"message": f"route not found: {path}", "code": "not_found"}})
    return always(OutcomeKind.NOT_FOUND, 404, body=body)(method, url)


def test_an_api_that_names_the_path_likely_lacks_it() -> None:
    seen = look(HOST, no_such_route, **ANTHROPIC)
    assert seen.repair.trials
    assert seen.roots == []
    assert "likely does not serve /v1/messages" in seen.findings["KVD214"].title
    assert seen.findings["KVD214"].confidence is Confidence.MEDIUM


def test_a_base_that_is_wrong_itself_comes_first() -> None:
    endpoints = ("/responses",)
    seen = look(HOST, serving("/v1", endpoints=endpoints), **RESPONSES)
    assert (seen.roots, seen.base) == (["KVD201"], HOST + "/v1")
    assert "KVD214" not in seen.codes


def test_a_page_is_not_a_missing_protocol() -> None:
    assert "KVD214" not in look(HOST + "/v1", page, **RESPONSES).codes


def test_what_is_served_is_healthy() -> None:
    seen = look(HOST + "/v1", serving("/v1", endpoints=("/responses",)), **RESPONSES)
    assert seen.codes == []
    assert seen.results["KVD214"].status is Status.PASS
