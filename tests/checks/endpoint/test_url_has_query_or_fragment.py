"""KVD205 as a user meets it."""

from __future__ import annotations

from doctor.facts import ENDPOINT
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import Endpoint
from doctor.models import Severity

from .world import ANTHROPIC, always, look, relay, serving

HOST = "https://gateway.example"


def test_tracking_parameters_are_dropped() -> None:
    seen = look(HOST + "/v1?utm_source=blog&utm_medium=csdn", relay())
    assert (seen.roots, seen.base) == (["KVD205"], HOST + "/v1")
    assert "utm_source, utm_medium" in seen.findings["KVD205"].title


def test_it_says_what_the_sdks_make_of_it_and_shows_no_value() -> None:
    said = look(HOST + "/v1?key=sk-made-up-value&x=1", relay()).said("KVD205")
    assert "Python's SDKs append the path behind the query" in said
    assert "Node's put the query at the end" in said
    assert "default query parameters" in said
    assert "sk-made-up-value" not in said


def test_taotokens_website_link_needs_one_change_for_either_family() -> None:
    link = "https://taotoken.net/?utm_source=taotoken_aicg_blog_end&utm_medium=csdn&utm_content="
    openai = look(link, relay("/api/v1"))
    assert (openai.roots, openai.base) == (["KVD205"], "https://taotoken.net/api/v1")
    anthropic = look(link, serving("/api", endpoints=("/v1/messages",)), **ANTHROPIC)
    assert (anthropic.roots, anthropic.base) == (["KVD205"], "https://taotoken.net/api")


def test_on_an_unknown_host_a_missing_version_behind_it_is_met_next() -> None:
    seen = look(HOST + "?utm_source=blog", relay())
    assert (seen.roots, seen.base) == (["KVD205", "KVD201"], HOST + "/v1")
    assert "https://gateway.example remains, which likely lacks /v1" in seen.said("KVD205")


def test_a_fragment_does_no_harm_to_python_and_is_only_a_warning() -> None:
    seen = look(HOST + "/v1#top", always(OutcomeKind.KEY_REFUSED, 401))
    assert seen.findings["KVD205"].severity is Severity.WARNING


def test_a_client_that_keeps_the_query_behind_the_path_gets_a_warning() -> None:
    node = Endpoint(
        url=HOST + "/v1/chat/completions?utm_source=x",
        scheme="https",
        host="gateway.example",
        port=443,
        path="/v1/chat/completions",
        models_url=HOST + "/v1/models?utm_source=x",
    )
    refused = always(OutcomeKind.KEY_REFUSED, 401)
    seen = look(HOST + "/v1?utm_source=x", refused, given={ENDPOINT: node})
    assert seen.findings["KVD205"].severity is Severity.WARNING
    assert "keeps the query behind the path" in seen.said("KVD205")


def test_where_the_request_answers_nothing_is_said() -> None:
    assert look(HOST + "/v1?x=1", always(OutcomeKind.ANSWERED, 200)).codes == []
