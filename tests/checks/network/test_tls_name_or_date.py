"""KVD322: the certificate's names and dates."""

from __future__ import annotations

from doctor import facts
from doctor.facts.network import TransportFault
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    one,
    tls,
    variables,
)
from tests.kit import connection

F = TransportFault


def test_a_wrong_name_shows_the_right_ones_and_tries_none() -> None:
    given: Given = {
        facts.COMPLETION: broken(F.TLS_NAME_OR_DATE, "Hostname mismatch"),
        facts.TLS: tls("name", names=("gateway.example", "*.gateway.example")),
    }
    found = one(examine(variables(), given, connection("https://203.0.113.7/v1")), "KVD322")
    assert found.title == "The certificate is not for 203.0.113.7"
    assert "gateway.example" in found.explanation
    assert found.changes == ()


def test_an_expired_certificate_tells_its_dates() -> None:
    given: Given = {
        facts.COMPLETION: broken(F.TLS_NAME_OR_DATE, "certificate has expired"),
        facts.TLS: tls("date", not_before="2025-01-01", not_after="2026-01-01"),
    }
    found = one(examine(variables(), given), "KVD322")
    assert "not valid today" in found.title
    assert "2026-01-01" in found.explanation
