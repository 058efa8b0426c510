"""KVD304: values that stop a client, and exclusions that exclude nothing."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.machine import PythonHome
from doctor.facts.network import TransportFault
from doctor.models import Severity
from tests.checks.network.world import (
    PROXY,
    SDK,
    Given,
    broken,
    dead_proxy,
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

STOPPED: Given = {facts.COMPLETION: broken(TransportFault.PROXY_SETTING, "it does not start")}
LIVE: Given = {facts.PROXY_TCP: tcp("127.0.0.1", 7890)}
LOCAL = connection("http://127.0.0.1:8000/v1")


@pytest.mark.parametrize(
    ("value", "first"),
    [
        ("socks://127.0.0.1:7890/", "socks5://127.0.0.1:7890/"),
        ('"http://127.0.0.1:7890"', "http://127.0.0.1:7890"),
        ("htp://127.0.0.1:7890", "http://127.0.0.1:7890"),
        ("http:127.0.0.1:7890", "http://127.0.0.1:7890"),
        (" http://127.0.0.1:7890", "http://127.0.0.1:7890"),
    ],
)
def test_the_corrected_value_is_shown_and_tried_first(value: str, first: str) -> None:
    found = one(examine(variables(HTTPS_PROXY=value), STOPPED), "KVD304")
    assert values(found)[0] == first
    assert values(found)[-1] == "direct"
    assert f"HTTPS_PROXY={first}" in found.explanation


def test_a_port_that_cannot_be_corrected_leaves_the_direct_way() -> None:
    found = one(examine(variables(HTTPS_PROXY="http://127.0.0.1:abc"), STOPPED), "KVD304")
    assert values(found) == ["direct"]
    assert "1 to 65535" in found.explanation


def test_a_port_that_no_machine_has_is_not_called_a_dead_proxy() -> None:
    proxy = "http://127.0.0.1:99999"
    given: Given = {facts.COMPLETION: broken(TransportFault.PROXY_UNREACHABLE, "refused", proxy)}
    findings = examine(variables(HTTPS_PROXY=proxy), given)
    assert roots(findings) == ["KVD304"]
    assert values(one(findings, "KVD304")) == ["direct"]


def test_https_for_a_plain_proxy_becomes_http() -> None:
    proxy = "https://proxy.corp.example:3128"
    fault = broken(TransportFault.PROXY_SETTING, "[SSL: WRONG_VERSION_NUMBER]", proxy)
    found = one(examine(variables(HTTPS_PROXY=proxy), {facts.COMPLETION: fault}), "KVD304")
    assert [(c.value, c.guess) for c in found.changes] == [
        ("http://proxy.corp.example:3128", False)
    ]


def test_a_value_that_only_others_refuse_is_a_warning_and_never_the_root() -> None:
    findings = examine(variables(ALL_PROXY="127.0.0.1:7890"), dead_proxy())
    assert roots(findings) == ["KVD301"]
    found = one(findings, "KVD304")
    assert found.severity is Severity.WARNING
    assert "ALL_PROXY=http://127.0.0.1:7890" in found.explanation


@pytest.mark.parametrize(
    ("value", "entry"),
    [
        ("localhost;127.0.0.1", "127.0.0.1"),
        ("localhost 127.0.0.1", "127.0.0.1"),
        ("localhost，127.0.0.1", "127.0.0.1"),
        ("127.*", "127.*"),
        ("127.0.0.*", "127.0.0.*"),
        ("<local>", "<local>"),
        ("'localhost,127.0.0.1'", "127.0.0.1"),
    ],
)
def test_an_exclusion_that_is_lost_is_named_and_written_portably(value: str, entry: str) -> None:
    given: Given = {**LIVE, facts.COMPLETION: page(502)}
    findings = examine(variables(http_proxy=PROXY, no_proxy=value), given, LOCAL)
    assert roots(findings) == ["KVD304"]
    found = one(findings, "KVD304")
    assert entry in found.title
    assert "NO_PROXY=localhost,127.0.0.1,::1 " in found.explanation
    assert values(found) == ["direct"]


def test_a_lost_exclusion_of_a_public_host_counts_too() -> None:
    given: Given = dead_proxy()
    env = variables(https_proxy=PROXY, no_proxy="localhost;gateway.example")
    findings = examine(env, given)
    assert roots(findings) == ["KVD304"]
    assert "no_proxy=localhost,gateway.example" in one(findings, "KVD304").explanation


def test_a_list_that_never_meant_the_target_is_not_blamed() -> None:
    env = variables(https_proxy=PROXY, no_proxy="localhost;127.0.0.1")
    assert roots(examine(env, dead_proxy())) == ["KVD301"]


def test_a_range_that_crashes_the_older_sdk_is_taken_out() -> None:
    old = PythonHome(".venv", {"openai": "2.8.1", "httpx": "0.28.1"})
    value = "localhost,127.0.0.1,10.0.0.0/8,fe80::/10,fc00::/7"
    given: Given = {**STOPPED, facts.PYTHON_HOMES: (old,)}
    findings = examine(variables(NO_PROXY=value), given)
    assert roots(findings) == ["KVD304"]
    found = one(findings, "KVD304")
    assert "NO_PROXY=localhost,127.0.0.1,10.0.0.0/8 " in found.explanation
    assert "“fe80::/10”, “fc00::/7”" in found.explanation
    assert [(c.value, c.guess) for c in found.changes] == [("direct", False)]


def test_the_newer_sdk_is_only_warned_where_an_older_httpx_may_run() -> None:
    env = variables(NO_PROXY="localhost,fe80::/10")
    well: Given = {facts.COMPLETION: reply()}
    assert examine(env, well) == (), "the only environment has no httpx 0.28"
    both = PythonHome(".venv", {**SDK.packages, "httpx": "0.28.1"})
    found = one(examine(env, {**well, facts.PYTHON_HOMES: (both,)}), "KVD304")
    assert (found.severity, found.changes) == (Severity.WARNING, ())
