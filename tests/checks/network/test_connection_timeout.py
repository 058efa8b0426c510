"""KVD312: no connection, or no answer, in time."""

from __future__ import annotations

from doctor import facts
from doctor.facts.network import TransportFault
from doctor.models import Hop
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    listener,
    one,
    tcp,
    variables,
)

F = TransportFault


def test_no_connection_and_no_answer_are_told_apart() -> None:
    lost: Given = {facts.COMPLETION: broken(F.CONNECT_TIMEOUT, "no connection within 10 s")}
    found = one(examine(variables(), lost), "KVD312")
    assert found.title == "gateway.example port 443 takes no connection"
    assert found.hop is Hop.TCP
    slow: Given = {facts.COMPLETION: broken(F.READ_TIMEOUT, "no answer within 10 s")}
    found = one(examine(variables(), slow), "KVD312")
    assert found.title == "gateway.example took the request and did not answer"
    assert found.hop is Hop.GATEWAY


def test_a_local_proxy_that_is_not_used_is_mentioned() -> None:
    given: Given = {
        facts.COMPLETION: broken(F.CONNECT_TIMEOUT, "no connection within 10 s"),
        facts.LISTENERS: (listener(7890, "mihomo"),),
    }
    found = one(examine(variables(), given), "KVD312")
    assert "export HTTPS_PROXY=http://127.0.0.1:7890" in found.explanation
    assert found.changes == (), "a proxy that nobody configured is not tried"


def test_half_of_the_addresses_answering_is_said() -> None:
    given: Given = {
        facts.COMPLETION: broken(F.CONNECT_TIMEOUT, "no connection within 10 s"),
        facts.TCP: (tcp("2001:db8::7", error="timeout"), tcp("203.0.113.7")),
    }
    found = one(examine(variables(), given), "KVD312")
    assert "203.0.113.7 takes a connection, 2001:db8::7 does not" in found.explanation
