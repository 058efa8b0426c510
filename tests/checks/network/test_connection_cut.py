"""KVD313: connections that end without an answer."""

from __future__ import annotations

from doctor import facts
from doctor.facts.network import TransportFault
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    one,
    variables,
)
from tests.kit import connection

F = TransportFault


def test_a_port_of_another_protocol() -> None:
    given: Given = {facts.COMPLETION: broken(F.PROTOCOL, "illegal status line: b'+PONG'")}
    found = one(examine(variables(), given, connection("http://127.0.0.1:6379/v1")), "KVD313")
    assert found.title == "127.0.0.1 port 6379 answers with something that is not HTTP"
    assert "+PONG" in found.explanation
