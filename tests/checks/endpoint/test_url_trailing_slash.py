"""KVD217 as a user meets it."""

from __future__ import annotations

from doctor.facts import ENDPOINT
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.network import Endpoint

from .world import Given, look, nothing, reply, serving

HOST = "https://gateway.example"


def naive() -> Given:
    """What a client that joins by pasting together makes of a base with a slash."""
    url = HOST + "/v1//chat/completions"
    return {ENDPOINT: Endpoint(url, "https", "gateway.example", 443, "/v1//chat/completions")}


def test_a_naive_join_that_finds_nothing() -> None:
    seen = look(HOST + "/v1/", nothing, given=naive())
    assert seen.codes == ["KVD217"]
    finding = seen.findings["KVD217"]
    assert [change.value for change in finding.changes] == [HOST + "/v1"]
    assert "https://gateway.example/v1//chat/completions" in finding.explanation


def test_a_naive_join_that_answers_is_healthy() -> None:
    served = serving("/v1", "/v1/")
    assert look(HOST + "/v1/", served, given=naive()).codes == []


def test_a_slash_that_the_client_drops_itself_is_no_fault() -> None:
    assert look(HOST + "/v1/", serving("/v1")).codes == []


def test_a_redirect_between_the_two_spellings_that_loses_the_post() -> None:
    def server(method: str, url: str) -> Reply:
        return reply(OutcomeKind.REDIRECTED, 301, method=method, url=url, location=url + "/")

    seen = look(HOST + "/v1", server)
    assert seen.codes == ["KVD217"]
    assert "turn POST into GET" in seen.said("KVD217")
    assert seen.findings["KVD217"].changes == ()
