"""KVD305: variables that contradict one another."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.machine import Environment
from doctor.facts.network import TransportFault
from doctor.models import Severity
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
    variables,
)
from tests.kit import connection, environment

LIVE: Given = {facts.PROXY_TCP: tcp("127.0.0.1", 7890)}
LOCAL = connection("http://127.0.0.1:8000/v1")


def test_an_empty_lower_case_variable_deletes_the_exclusion() -> None:
    env = variables(http_proxy=PROXY, no_proxy="", NO_PROXY="localhost,127.0.0.1")
    given: Given = {**LIVE, facts.COMPLETION: page(502)}
    findings = examine(env, given, LOCAL)
    assert roots(findings) == ["KVD305"]
    assert "set and empty" in one(findings, "KVD305").explanation


def test_two_different_proxies_are_named_with_who_takes_which() -> None:
    env = variables(https_proxy=PROXY, HTTPS_PROXY="http://127.0.0.1:9")
    found = one(examine(env, {**LIVE, facts.COMPLETION: reply(via=PROXY)}), "KVD305")
    assert found.severity is Severity.WARNING
    assert "reads https_proxy and not HTTPS_PROXY" in found.explanation
    assert "through 127.0.0.1:9" in found.explanation
    assert found.changes == ()


@pytest.mark.parametrize(
    "env",
    [
        variables(https_proxy=PROXY, HTTPS_PROXY=PROXY + "/"),
        variables(http_proxy="http://a.example:1", HTTP_PROXY="http://b.example:1"),
        variables(no_proxy="a.example", NO_PROXY="b.example"),
        variables(
            https_proxy="http://a.example:1",
            HTTPS_PROXY="http://b.example:1",
            NO_PROXY="gateway.example",
        ),
        environment({"HTTPS_PROXY": PROXY}, platform="win32"),
    ],
    ids=["slash", "other-scheme", "no-proxy-at-all", "excluded", "windows"],
)
def test_a_difference_that_leads_nowhere_else_is_silent(env: Environment) -> None:
    given: Given = {**LIVE, facts.COMPLETION: reply(via=PROXY)}
    assert "KVD305" not in {finding.code for finding in examine(env, given)}


def test_http_proxy_in_capitals_is_told_apart_from_what_curl_does() -> None:
    given: Given = {**LIVE, facts.COMPLETION: page(502)}
    findings = examine(variables(HTTP_PROXY=PROXY), given, connection("http://gateway.example/v1"))
    assert roots(findings) == ["KVD307"]
    assert "curl goes direct" in one(findings, "KVD305").explanation


def test_openai_proxy_is_named_where_the_way_out_is_missing() -> None:
    given: Given = {facts.COMPLETION: broken(TransportFault.REFUSED, "refused")}
    findings = examine(variables(OPENAI_PROXY=PROXY), given)
    found = one(findings, "KVD305")
    assert "LangChain" in said(found)
    assert [(c.value, c.guess) for c in found.changes] == [(PROXY, True)]
    assert roots(findings) == ["KVD311"]
