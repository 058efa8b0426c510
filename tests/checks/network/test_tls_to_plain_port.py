"""KVD323: TLS to a port that speaks none."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.network import TransportFault
from tests.checks.network.world import PROXY, Given, broken, examine, one, roots, tls, variables
from tests.kit import connection

TEXT = "[SSL: WRONG_VERSION_NUMBER] wrong version number"
PLAIN: Given = {
    facts.COMPLETION: broken(TransportFault.TLS_TO_PLAIN, TEXT),
    facts.TLS: tls("not-tls", text=TEXT),
}


def test_host_and_port_are_named_with_the_librarys_text() -> None:
    target = connection("https://127.0.0.1:9090/v1")
    findings = examine(variables(), PLAIN, target)
    assert roots(findings) == ["KVD323"]
    found = one(findings, "KVD323")
    assert found.title == "127.0.0.1 port 9090 speaks no TLS"
    assert TEXT in found.explanation


def test_https_is_never_taken_down_to_http() -> None:
    assert one(examine(variables(), PLAIN), "KVD323").changes == ()


@pytest.mark.parametrize("proxy", [PROXY, "https://127.0.0.1:7890"])
def test_a_plain_proxy_behind_https_is_another_fault(proxy: str) -> None:
    given: Given = {facts.COMPLETION: broken(TransportFault.TLS_TO_PLAIN, TEXT, proxy)}
    expected = "KVD323" if proxy == PROXY else "KVD304"
    assert roots(examine(variables(HTTPS_PROXY=proxy), given)) == [expected]
