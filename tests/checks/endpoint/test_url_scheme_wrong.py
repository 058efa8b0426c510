"""KVD207 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts import TLS
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.network import TlsAnswer, TransportFault

from .world import always, answer, look, page, reply, serving

TO_PLAIN = always(OutcomeKind.TRANSPORT, fault=TransportFault.TLS_TO_PLAIN)


def plain_only(method: str, url: str) -> Reply:
    """A server without TLS."""
    if url.startswith("https"):
        return TO_PLAIN(method, url)
    return answer(method, url)


def tls_only(method: str, url: str) -> Reply:
    """A server that speaks TLS and tells others so."""
    if url.startswith("https"):
        return answer(method, url)
    return reply(OutcomeKind.TRANSPORT, method=method, url=url, fault=TransportFault.PLAIN_TO_TLS)


@pytest.mark.parametrize("host", ["127.0.0.1:9090", "192.168.1.20:8000", "vllm:8000"])
def test_https_to_a_plain_server_nearby_becomes_http(host: str) -> None:
    seen = look(f"https://{host}/v1", plain_only)
    assert (seen.roots, seen.base) == (["KVD207"], f"http://{host}/v1")


def test_the_port_stays_where_https_had_its_own() -> None:
    seen = look("https://localhost/v1", plain_only)
    assert seen.base == "http://localhost:443/v1"


def test_a_public_host_is_never_taken_down_to_http() -> None:
    seen = look("https://gateway.example:8000/v1", plain_only)
    assert seen.findings["KVD207"].changes == ()
    assert seen.base is None
    assert "would cross the network in clear text" in seen.said("KVD207")


def test_the_handshake_alone_is_enough() -> None:
    handshake = TlsAnswer(False, 3, "not-tls", "wrong version number")
    seen = look("https://127.0.0.1:9090/v1", given={TLS: handshake})
    assert [c.value for c in seen.findings["KVD207"].changes] == ["http://127.0.0.1:9090/v1"]


def test_the_plain_side_of_a_proxy_is_not_the_servers() -> None:
    through = always(
        OutcomeKind.TRANSPORT, fault=TransportFault.TLS_TO_PLAIN, via="https://127.0.0.1:7890"
    )
    assert look("https://10.0.0.5/v1", through).codes == []


def test_http_to_a_tls_port_becomes_https() -> None:
    seen = look("http://gateway.example:8443/v1", tls_only)
    assert (seen.roots, seen.base) == (["KVD207"], "https://gateway.example:8443/v1")


@pytest.mark.parametrize("status", [301, 308])
def test_a_redirect_to_https_is_followed_by_the_setting(status: int) -> None:
    def server(method: str, url: str) -> Reply:
        if url.startswith("https"):
            return answer(method, url)
        there = url.replace("http:", "https:", 1)
        return reply(OutcomeKind.REDIRECTED, status, method=method, url=url, location=there)

    seen = look("http://gateway.example/v1", server)
    assert (seen.roots, seen.base) == (["KVD207"], "https://gateway.example/v1")
    assert ("turn POST into GET" in seen.said("KVD207")) is (status == 301)


def test_a_redirect_to_another_port_is_not_taken() -> None:
    def server(method: str, url: str) -> Reply:
        there = "https://gateway.example:9443/v1/chat/completions"
        return reply(OutcomeKind.REDIRECTED, 301, method=method, url=url, location=there)

    assert look("http://gateway.example:9080/v1", server).findings["KVD207"].changes == ()


def test_a_redirect_to_another_host_is_named_and_not_taken() -> None:
    def server(method: str, url: str) -> Reply:
        there = "https://elsewhere.example/v1/chat/completions"
        return reply(OutcomeKind.REDIRECTED, 307, method=method, url=url, location=there)

    seen = look("https://gateway.example/v1", server)
    assert seen.codes == ["KVD207"]
    assert seen.findings["KVD207"].changes == ()
    assert "https://elsewhere.example/v1" in seen.said("KVD207")
    assert "The key is not sent there" in seen.said("KVD207")


def test_a_redirect_to_a_frontend_still_lets_a_missing_version_be_found() -> None:
    def server(method: str, url: str) -> Reply:
        if "/v1/" in url:
            return answer(method, url)
        there = url.replace("gateway.example", "www.gateway.example")
        return reply(OutcomeKind.REDIRECTED, 301, method=method, url=url, location=there)

    seen = look("https://gateway.example", server)
    assert (seen.roots, seen.base) == (["KVD201"], "https://gateway.example/v1")


def test_a_known_provider_is_asked_over_https() -> None:
    finding = look("http://api.openai.com/v1").findings["KVD207"]
    assert [change.value for change in finding.changes] == ["https://api.openai.com/v1"]
    assert "KVD117" in finding.explains


@pytest.mark.parametrize("base", ["http://127.0.0.1:8000/v1", "https://gateway.example/v1"])
def test_the_right_scheme_is_left_alone(base: str) -> None:
    assert look(base, serving("/v1")).codes == []


def test_a_page_over_http_is_no_fault_of_the_scheme() -> None:
    assert "KVD207" not in look("http://gateway.example/v1", page).codes
