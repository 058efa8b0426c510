"""KVD307: a living proxy that does not serve the request."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TransportFault
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    examine,
    one,
    page,
    reply,
    roots,
    said,
    tcp,
    values,
    variables,
)
from tests.kit import connection

F = TransportFault
LIVE: Given = {facts.PROXY_TCP: tcp("127.0.0.1", 7890)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("407 Proxy Authentication Required", "http://USER:PASSWORD@127.0.0.1:7890"),
        ("403 Forbidden", "A rule of the proxy forbids gateway.example"),
        ("503 Service Unavailable", "The proxy does not reach gateway.example"),
    ],
)
def test_a_refused_tunnel_is_told_by_its_status(text: str, words: str) -> None:
    refused = broken(F.PROXY_REFUSES, text, PROXY)
    findings = examine(variables(https_proxy=PROXY), {**LIVE, facts.COMPLETION: refused})
    assert roots(findings) == ["KVD307"]
    found = one(findings, "KVD307")
    assert words in found.explanation
    assert text[:3] in found.title
    assert [(c.value, c.guess) for c in found.changes] == [("direct", True)]


def test_a_rejected_password_is_not_shown() -> None:
    proxy = "http://user:made-up-word@127.0.0.1:7890"
    refused = broken(F.PROXY_REFUSES, "407 Proxy Authentication Required", PROXY)
    found = one(
        examine(variables(https_proxy=proxy), {**LIVE, facts.COMPLETION: refused}), "KVD307"
    )
    assert "does not accept the user name and password in https_proxy" in found.explanation
    assert "made-up-word" not in said(found)


def test_a_gateways_own_502_through_the_tunnel_is_not_the_proxys() -> None:
    answer = reply(OutcomeKind.UPSTREAM_UNREACHABLE, "upstream error", status=502, via=PROXY)
    findings = examine(variables(https_proxy=PROXY), {**LIVE, facts.COMPLETION: answer})
    assert roots(findings) == ["KVD330"]


def test_a_page_of_a_proxy_that_is_set_nowhere_is_told() -> None:
    findings = examine(variables(), {facts.COMPLETION: page(403, via=None)})
    assert roots(findings) == ["KVD307"]
    assert "set nowhere" in one(findings, "KVD307").title


def test_only_the_root_offers_the_way_without_the_proxy() -> None:
    refused = broken(F.PROXY_REFUSES, "403 Forbidden", PROXY)
    target = connection("https://10.1.2.3/v1")
    findings = examine(variables(https_proxy=PROXY), {**LIVE, facts.COMPLETION: refused}, target)
    assert values(one(findings, "KVD302")) == ["direct"]
    assert "KVD307" not in {finding.code for finding in findings}
