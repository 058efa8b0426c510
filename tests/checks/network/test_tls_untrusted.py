"""KVD320: whom the client trusts."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.machine import PythonHome
from doctor.facts.network import TransportFault
from doctor.models import Hop, Severity
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    examine,
    one,
    reply,
    roots,
    said,
    tls,
    values,
    variables,
)
from tests.kit import connection

F = TransportFault
WELL: Given = {facts.COMPLETION: reply(), facts.TLS: tls()}


def untrusted(**more: object) -> Given:
    return {
        facts.COMPLETION: broken(F.TLS_UNTRUSTED, "CERTIFICATE_VERIFY_FAILED"),
        facts.TLS: tls("untrusted", **more),
    }


def test_the_issuer_is_named_with_who_would_accept_it() -> None:
    given = untrusted(issuer="Zscaler Root CA", system_ok=True, certifi_ok=False)
    found = one(examine(variables(), given), "KVD320")
    assert "Zscaler Root CA" in found.title
    assert "intercepted" in found.explanation
    assert "curl, browsers and SDKs on httpx2 work" in found.explanation
    assert "SSL_CERT_FILE=" in found.explanation


def test_nobody_is_ever_told_to_switch_verification_off() -> None:
    env = variables(NODE_TLS_REJECT_UNAUTHORIZED="0")
    for finding in examine(env, untrusted(self_signed=True)):
        text = said(finding).lower()
        assert "verify=false" not in text
        assert "-k" not in text.split()
        assert "reject_unauthorized=0" not in finding.explanation.lower()


def test_verification_that_is_off_is_a_warning_of_its_own() -> None:
    found = one(examine(variables(NODE_TLS_REJECT_UNAUTHORIZED="0"), WELL), "KVD320")
    assert found.severity is Severity.WARNING
    assert "NODE_EXTRA_CA_CERTS" in found.explanation
    assert examine(variables(NODE_TLS_REJECT_UNAUTHORIZED="1"), WELL) == ()
    plain = connection("http://127.0.0.1:8000/v1")
    assert examine(variables(NODE_TLS_REJECT_UNAUTHORIZED="0"), WELL, plain) == ()


def test_the_older_sdk_is_offered_the_systems_store() -> None:
    old = PythonHome(".venv", {"openai": "2.8.1", "httpx": "0.28.1"})
    given = {**untrusted(system_ok=True, certifi_ok=False), facts.PYTHON_HOMES: (old,)}
    found = one(examine(variables(), given), "KVD320")
    assert all(change.guess for change in found.changes)
    assert "/etc/ssl/certs/ca-certificates.crt" in values(found)


def test_no_store_that_refuses_as_well_is_tried() -> None:
    found = one(examine(variables(), untrusted(system_ok=False, certifi_ok=False)), "KVD320")
    assert found.changes == ()


def test_a_proxy_in_the_way_is_the_likely_interceptor() -> None:
    given: Given = {facts.COMPLETION: broken(F.TLS_UNTRUSTED, "x", PROXY)}
    found = one(examine(variables(HTTPS_PROXY=PROXY), given), "KVD320")
    assert "127.0.0.1:7890" in found.explanation


@pytest.mark.parametrize(
    "words",
    [
        'do request failed: Post "https://relay.example/v1": tls: failed to verify certificate: '
        "x509: certificate signed by unknown authority",
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate",
    ],
)
@pytest.mark.parametrize("base", ["http://127.0.0.1:3000/v1", "https://gateway.example/v1"])
def test_what_the_gateway_does_not_trust_is_its_backend(words: str, base: str) -> None:
    failed = reply(OutcomeKind.UPSTREAM_UNREACHABLE, words, status=500)
    found = examine(variables(), {facts.COMPLETION: failed}, connection(base))

    assert roots(found) == ["KVD320"]
    told = one(found, "KVD320")
    assert "does not trust the certificate of its backend" in told.title
    assert told.hop is Hop.ROUTE
    assert "SSL_CERT_FILE" not in told.explanation
