"""KVD201 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts.answers import OutcomeKind, Reply
from doctor.models import Confidence, Status

from .world import Server, always, answer, look, nothing, page, relay, reply, serving

HOST = "https://gateway.example"


@pytest.mark.parametrize("base", [HOST, HOST + "/"])
@pytest.mark.parametrize("otherwise", [page, nothing])
def test_a_base_without_v1_is_proved_by_one_request(base: str, otherwise: Server) -> None:
    seen = look(base, serving("/v1", otherwise=otherwise))
    assert seen.roots == ["KVD201"]
    assert seen.base == HOST + "/v1"
    assert len(seen.repair.trials) == 1


def test_it_says_what_was_asked_what_came_and_what_to_use() -> None:
    said = look(HOST, relay()).said("KVD201")
    assert "lacks /v1" in said
    assert "https://gateway.example/chat/completions" in said
    assert "200 (text/html)" in said
    assert "<!doctype html>" in said
    assert "https://gateway.example/v1" in said
    assert "Anthropic SDKs would want it without /v1: https://gateway.example." in said


def test_behind_a_prefix_the_version_goes_after_it() -> None:
    seen = look(HOST + "/proxy/openai", serving("/proxy/openai/v1"))
    assert (seen.roots, seen.base) == (["KVD201"], HOST + "/proxy/openai/v1")


def test_of_a_known_provider_it_is_sure_without_any_request() -> None:
    finding = look("https://api.openai.com").findings["KVD201"]
    assert finding.title == "The base URL lacks /v1"
    assert finding.confidence is Confidence.HIGH
    assert [(c.value, c.guess) for c in finding.changes] == [("https://api.openai.com/v1", False)]


def test_an_html_404_of_a_known_provider_is_the_same_fault() -> None:
    def server(method: str, url: str) -> Reply:
        on_v1 = url == "https://api.openai.com/v1/chat/completions"
        return answer(method, url) if on_v1 else page(method, url, 404)

    seen = look("https://api.openai.com", server)
    assert (seen.roots, seen.base) == (["KVD201"], "https://api.openai.com/v1")
    assert seen.findings["KVD210"].explained_by == "KVD201"


def test_words_of_a_server_that_knows_no_such_route_count_as_nothing_there() -> None:
    body = '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}'

    def lm_studio(method: str, url: str) -> Reply:
        if url.endswith("/v1/chat/completions"):
            return answer(method, url)
        return reply(OutcomeKind.ERROR_IN_SUCCESS, 200, body, method=method, url=url)

    seen = look("http://127.0.0.1:1234", lm_studio)
    assert (seen.roots, seen.base) == (["KVD201"], "http://127.0.0.1:1234/v1")


def test_a_redirect_that_names_the_path_is_believed() -> None:
    def server(method: str, url: str) -> Reply:
        if "/v1/" in url:
            return answer(method, url)
        return reply(
            OutcomeKind.REDIRECTED, 308, method=method, url=url, location="/v1/chat/completions"
        )

    seen = look(HOST, server)
    assert (seen.roots, seen.base) == (["KVD201"], HOST + "/v1")
    assert seen.codes == ["KVD201"]


def test_a_redirect_that_was_followed_to_nothing_is_not_the_last_word() -> None:
    def server(method: str, url: str) -> Reply:
        if "/v1/" in url:
            return answer(method, url)
        return reply(OutcomeKind.NOT_FOUND, 404, "{}", method=method, url=url, location=url + "/")

    seen = look(HOST, server)
    assert (seen.roots, seen.base) == (["KVD201"], HOST + "/v1")
    assert "answered 404 (application/json)" in seen.said("KVD201")


def test_a_refusal_in_no_apis_words_makes_a_bare_base_doubtful() -> None:
    body = '{"code":"API_KEY_REQUIRED","message":"API key is required"}'
    seen = look(HOST, always(OutcomeKind.KEY_MISSING, 401, body=body))
    assert seen.findings["KVD201"].confidence is Confidence.LOW


REFUSED = '{"error":{"message":"Invalid token","type":"new_api_error"}}'


def test_a_refusal_in_an_apis_words_is_believed_once_v1_refuses_as_well() -> None:
    seen = look(HOST, always(OutcomeKind.KEY_REFUSED, 401, body=REFUSED))
    assert seen.roots == []
    assert [change.value for change in seen.repair.refuted] == [HOST + "/v1"]
    assert [len(trial.changes) for trial in seen.repair.trials] == [1]


def test_a_key_that_is_refused_without_the_version_only_is_good() -> None:
    def refused(method: str, url: str) -> Reply:
        return reply(OutcomeKind.KEY_REFUSED, 401, REFUSED, method=method, url=url)

    seen = look(HOST, serving("/v1", otherwise=refused))
    assert (seen.roots, seen.base) == (["KVD201"], HOST + "/v1")
    assert seen.findings["KVD201"].confidence is Confidence.LOW
    assert "does not say that the path is right" in seen.said("KVD201")


@pytest.mark.parametrize("base", [HOST + "/v1", "https://api.deepseek.com"])
def test_a_refused_key_casts_no_doubt_on_a_base_that_is_right(base: str) -> None:
    assert look(base, always(OutcomeKind.KEY_REFUSED, 401, body=REFUSED)).codes == []


def test_what_usually_listens_on_the_port_is_named_where_nothing_answers() -> None:
    seen = look("http://localhost:11434")
    assert seen.codes == ["KVD201"]
    assert "Ollama" in seen.said("KVD201")
    assert "http://localhost:11434/v1" in seen.said("KVD201")
    assert seen.findings["KVD201"].confidence is Confidence.LOW


@pytest.mark.parametrize(
    "kind",
    [
        OutcomeKind.ANSWERED,
        OutcomeKind.MODEL_UNKNOWN,
        OutcomeKind.NO_CHANNEL,
        OutcomeKind.QUOTA,
        OutcomeKind.MAX_TOKENS_REFUSED,
        OutcomeKind.CONTENT_EMPTY,
    ],
)
def test_a_base_below_which_an_api_spoke_is_right(kind: OutcomeKind) -> None:
    seen = look(HOST, always(kind, 200))
    assert seen.codes == []
    assert seen.results["KVD201"].status is Status.PASS


def test_deepseek_needs_no_version() -> None:
    assert look("https://api.deepseek.com").codes == []


def test_without_any_reply_an_unknown_base_is_unknown_not_healthy() -> None:
    seen = look(HOST)
    assert seen.codes == []
    assert seen.results["KVD201"].status is Status.UNKNOWN
    assert seen.results["KVD201"].reason == "offline"
