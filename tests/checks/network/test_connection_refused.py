"""KVD311: nothing listens."""

from __future__ import annotations

from doctor import facts
from doctor.facts.network import TransportFault
from doctor.models import Confidence
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    in_container,
    listener,
    one,
    said,
    variables,
)
from tests.kit import connection

F = TransportFault


def refused(*listening: object) -> Given:
    return {
        facts.COMPLETION: broken(F.REFUSED, "[Errno 111] Connection refused"),
        facts.LISTENERS: listening,
    }


def test_the_usual_server_of_the_port_is_likely_the_missing_one() -> None:
    target = connection("http://127.0.0.1:8000/v1")
    found = one(examine(variables(), refused(), target), "KVD311")
    assert found.title == "Nothing listens on 127.0.0.1 port 8000"
    assert "vLLM's by default: likely it is not started" in found.explanation


def test_what_listens_nearby_is_named_as_likely() -> None:
    target = connection("http://127.0.0.1:8001/v1")
    given = refused(listener(8000, "python3"), listener(22, "sshd"))
    found = one(examine(variables(), given, target), "KVD311")
    assert "Port 8000 listens (python3, likely vLLM)." in found.explanation
    assert "sshd" not in said(found)


def test_the_same_port_at_another_address_is_named() -> None:
    target = connection("http://127.0.0.1:8000/v1")
    given = refused(listener(8000, "python3", "192.168.1.5"))
    found = one(examine(variables(), given, target), "KVD311")
    assert "Port 8000 takes connections at 192.168.1.5 only." in found.explanation


def test_a_remote_refusal_tells_of_the_server_there() -> None:
    given = refused(listener(8000, "python3"))
    target = connection("http://203.0.113.7:8001/v1")
    found = one(examine(variables(), given, target), "KVD311")
    assert "On 203.0.113.7 the server is down" in found.explanation
    assert "Port 8000" not in found.explanation


def test_in_a_container_it_is_less_sure() -> None:
    target = connection("http://localhost:8000/v1")
    found = one(examine(in_container(variables()), refused(), target), "KVD311")
    assert found.confidence is Confidence.MEDIUM
