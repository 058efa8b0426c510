"""KVD302: local targets through the proxy."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.machine import PythonHome
from doctor.facts.network import TransportFault
from doctor.models import Confidence, Severity
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    examine,
    one,
    page,
    reply,
    roots,
    tcp,
    values,
    variables,
)
from tests.kit import connection

LIVE: Given = {facts.PROXY_TCP: tcp("127.0.0.1", 7890)}
LOCAL = connection("http://127.0.0.1:8000/v1")


def through(given_reply: object) -> Given:
    return {**LIVE, facts.COMPLETION: given_reply}


def test_the_portable_line_is_given_for_both_cases() -> None:
    found = one(examine(variables(http_proxy=PROXY), through(page(503)), LOCAL), "KVD302")
    assert found.severity is Severity.ERROR
    assert "export NO_PROXY=localhost,127.0.0.1,::1 no_proxy=localhost,127.0.0.1,::1" in (
        found.explanation
    )
    assert "503 was written by the proxy" in found.explanation
    assert values(found) == ["direct"]


def test_what_is_already_excluded_stays_in_the_list() -> None:
    env = variables(http_proxy=PROXY, no_proxy=".corp.example, 10.0.0.5")
    found = one(examine(env, through(page(502)), LOCAL), "KVD302")
    assert "NO_PROXY=.corp.example,10.0.0.5,localhost,127.0.0.1,::1" in found.explanation


def test_an_answer_through_another_machine_is_a_warning_without_a_change() -> None:
    given: Given = {
        facts.COMPLETION: reply(via=COMPANY),
        facts.PROXY_TCP: tcp("198.51.100.9", 3128),
    }
    found = one(examine(variables(http_proxy=COMPANY), given, LOCAL), "KVD302")
    assert (found.severity, found.changes) == (Severity.WARNING, ())


def test_an_answer_through_a_proxy_on_this_machine_is_nothing() -> None:
    findings = examine(variables(http_proxy=PROXY), through(reply(via=PROXY)), LOCAL)
    assert "KVD302" not in {finding.code for finding in findings}


@pytest.mark.parametrize(
    ("entry", "base"),
    [
        ("127.0.0.0/8", "http://127.0.0.1:8000/v1"),
        ("localhost", "http://127.0.0.1:8000/v1"),
        ("127.0.0.1", "http://localhost:8000/v1"),
        ("10.0.0.0/8", "http://10.1.2.3:8000/v1"),
    ],
)
def test_an_entry_that_this_library_does_not_heed_is_named(entry: str, base: str) -> None:
    old = PythonHome(".venv", {"openai": "2.8.1", "httpx": "0.28.1"})
    given = {**through(page(502)), facts.PYTHON_HOMES: (old,)}
    findings = examine(variables(http_proxy=PROXY, no_proxy=entry), given, connection(base))
    assert roots(findings) == ["KVD302"]
    assert f"“{entry}”" in one(findings, "KVD302").explanation


def test_the_same_range_excludes_for_the_newer_sdk() -> None:
    env = variables(http_proxy=PROXY, no_proxy="127.0.0.0/8")
    assert examine(env, {facts.COMPLETION: reply()}, LOCAL) == ()


@pytest.mark.parametrize("base", ["http://10.1.2.3:8000/v1", "http://gpu-box:8000/v1"])
def test_a_private_target_is_less_sure(base: str) -> None:
    findings = examine(variables(http_proxy=PROXY), through(page(504)), connection(base))
    found = one(findings, "KVD302")
    assert found.confidence is Confidence.MEDIUM
    assert values(found) == ["direct"]


def test_a_tunnel_to_a_private_server_that_is_refused_counts_as_well() -> None:
    refused = broken(TransportFault.PROXY_REFUSES, "403 Forbidden", PROXY)
    target = connection("https://10.1.2.3/v1")
    assert roots(examine(variables(https_proxy=PROXY), through(refused), target)) == ["KVD302"]


def test_a_public_target_is_no_concern_of_this_check() -> None:
    findings = examine(variables(https_proxy=PROXY), through(page(502)))
    assert "KVD302" not in {finding.code for finding in findings}


COMPANY = "http://proxy.corp.example:3128"


def test_what_another_machines_proxy_says_is_not_this_machines_server() -> None:
    refusal = reply(
        OutcomeKind.PERMISSION, "denied destination", status=403, body="denied", via=COMPANY
    )
    given: Given = {facts.COMPLETION: refusal, facts.PROXY_TCP: tcp("198.51.100.9", 3128)}
    findings = examine(variables(http_proxy=COMPANY), given, LOCAL)
    assert roots(findings) == ["KVD302"]
    assert "403 was written by the proxy" in one(findings, "KVD302").explanation


def test_an_apis_own_error_through_such_a_proxy_is_believed() -> None:
    refusal = reply(
        OutcomeKind.KEY_REFUSED, "Invalid token", status=401, body='{"error":{}}', via=COMPANY
    )
    given: Given = {facts.COMPLETION: refusal, facts.PROXY_TCP: tcp("198.51.100.9", 3128)}
    findings = examine(variables(http_proxy=COMPANY), given, LOCAL)
    assert roots(findings) == []
