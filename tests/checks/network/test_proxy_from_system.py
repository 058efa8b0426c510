"""KVD306: the proxy of the system's settings."""

from __future__ import annotations

from doctor import facts
from doctor.facts.network import TransportFault
from doctor.models import Severity, Status
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    dead_proxy,
    examine,
    one,
    reply,
    results_of,
    roots,
    tcp,
    variables,
)
from tests.kit import environment

F = TransportFault
LIVE: Given = {facts.PROXY_TCP: tcp("127.0.0.1", 7890)}
MAC = environment({}, platform="darwin", system_proxies={"https": PROXY, "http": PROXY})


def test_a_system_proxy_in_effect_is_told_and_no_fault() -> None:
    found = one(examine(MAC, {**LIVE, facts.COMPLETION: reply(via=PROXY)}), "KVD306")
    assert (found.severity, found.changes) == (Severity.INFO, ())
    assert "127.0.0.1:7890" in found.title


def test_a_system_proxy_that_drops_the_request_is_left_out() -> None:
    fault = broken(F.RESET, "reset", PROXY)
    findings = examine(MAC, {**LIVE, facts.COMPLETION: fault})
    assert roots(findings) == ["KVD306"]
    assert [(c.value, c.guess) for c in one(findings, "KVD306").changes] == [("direct", True)]


def test_a_variable_is_not_the_systems() -> None:
    status = {r.code: r.status for r in results_of(variables(HTTPS_PROXY=PROXY), dead_proxy())}
    assert status["KVD306"] is Status.SKIPPED
