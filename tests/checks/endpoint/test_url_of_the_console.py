"""KVD215 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts.answers import OutcomeKind, Reply

from .world import ANTHROPIC, look, page, relay, reply, serving

HOST = "https://gateway.example"


@pytest.mark.parametrize("path", ["/console", "/api-keys", "/doc", "/models", "/coding-plan"])
def test_a_page_of_taotoken_is_replaced_by_its_api(path: str) -> None:
    seen = look(f"https://taotoken.net{path}?utm_source=blog", relay("/api/v1"))
    assert (seen.roots, seen.base) == (["KVD215"], "https://taotoken.net/api/v1")
    assert seen.findings["KVD215"].title == (
        "The base URL is a page of TaoToken's website, not its API"
    )


def test_for_an_anthropic_client_the_api_is_another() -> None:
    server = serving("/api", endpoints=("/v1/messages",))
    seen = look("https://taotoken.net/console", server, **ANTHROPIC)
    assert (seen.roots, seen.base) == (["KVD215"], "https://taotoken.net/api")


@pytest.mark.parametrize(
    ("base", "right"),
    [
        ("https://platform.openai.com/v1", "https://api.openai.com/v1"),
        ("https://chat.deepseek.com", "https://api.deepseek.com"),
        ("https://console.anthropic.com/v1", "https://api.anthropic.com/v1"),
    ],
)
def test_an_api_on_another_host_is_named_and_not_set(base: str, right: str) -> None:
    seen = look(base, page)
    assert seen.codes == ["KVD210", "KVD215"]
    assert seen.findings["KVD215"].changes == ()
    assert f"is {right}. It is on another host" in seen.said("KVD215")
    assert seen.findings["KVD210"].explained_by == "KVD215"


@pytest.mark.parametrize("path", ["/console", "/docs", "/#/home", "/panel/api-keys"])
def test_what_looks_like_a_page_of_an_unknown_gateway(path: str) -> None:
    seen = look(HOST + path, relay())
    assert seen.base == HOST + "/v1"
    assert seen.roots[-1] in ("KVD215", "KVD201")


def test_a_page_path_of_an_unknown_gateway_is_named() -> None:
    seen = look(HOST + "/console", relay())
    assert seen.roots == ["KVD215"]
    assert "/console" in seen.findings["KVD215"].title


def test_a_redirect_to_another_hosts_page_is_named_and_not_taken() -> None:
    def server(method: str, url: str) -> Reply:
        there = "https://login.gateway.example/signin"
        return reply(OutcomeKind.REDIRECTED, 302, method=method, url=url, location=there)

    seen = look(HOST + "/v1", server)
    assert seen.codes == ["KVD215"]
    assert "https://login.gateway.example/signin" in seen.said("KVD215")
    assert seen.findings["KVD215"].changes == ()


def test_an_api_below_such_a_path_is_right() -> None:
    assert look(HOST + "/console", serving("/console")).codes == []
