"""KVD321: variables that name certificates."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.machine import CaPath, CaState
from doctor.facts.network import TransportFault
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    one,
    reply,
    roots,
    tls,
    values,
    variables,
)

F = TransportFault
CORP = "/etc/ssl/corp-root.pem"
WELL: Given = {facts.COMPLETION: reply(), facts.TLS: tls()}


def untrusted(**more: object) -> Given:
    return {
        facts.COMPLETION: broken(F.TLS_UNTRUSTED, "CERTIFICATE_VERIFY_FAILED"),
        facts.TLS: tls("untrusted", **more),
    }


def paths(*found: CaPath) -> Given:
    return {facts.CA_PATHS: found}


def good(variable: str, path: str = CORP) -> CaPath:
    return CaPath(variable, path, CaState.OK, 1)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (CaState.MISSING, "does not exist"),
        (CaState.DIRECTORY, "is a directory"),
        (CaState.NOT_PEM, "no PEM certificate"),
    ],
)
def test_a_broken_path_stops_the_client(state: CaState, words: str) -> None:
    given: Given = {
        facts.COMPLETION: broken(F.TLS_SETTING, "SSL_CERT_FILE=/gone.pem: [Errno 2] No such file"),
        **paths(CaPath("SSL_CERT_FILE", "/gone.pem", state)),
    }
    findings = examine(variables(SSL_CERT_FILE="/gone.pem"), given)
    assert roots(findings) == ["KVD321"]
    found = one(findings, "KVD321")
    assert words in found.title
    assert "unset SSL_CERT_FILE" in found.explanation
    assert [(c.value, c.guess) for c in found.changes] == [("", False)]


def test_a_broken_path_of_another_runtime_is_silent() -> None:
    broken_paths = paths(
        CaPath("NODE_EXTRA_CA_CERTS", "/gone.pem", CaState.MISSING),
        CaPath("REQUESTS_CA_BUNDLE", "/gone.pem", CaState.MISSING),
    )
    assert examine(variables(), {**WELL, **broken_paths}) == ()


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"])
def test_the_certificate_in_another_runtimes_variable_is_tried(variable: str) -> None:
    findings = examine(variables(), {**untrusted(issuer="Corp CA"), **paths(good(variable))})
    assert roots(findings) == ["KVD321"]
    found = one(findings, "KVD321")
    assert f"SSL_CERT_FILE={CORP}" in found.advice
    assert [(c.value, c.guess) for c in found.changes] == [(CORP, True)]
    assert one(findings, "KVD320").explained_by == "KVD321"


def test_a_bundle_that_hides_the_public_roots_is_the_cause() -> None:
    given = {
        **untrusted(issuer="A public authority", system_ok=True, certifi_ok=True),
        **paths(good("SSL_CERT_FILE")),
    }
    findings = examine(variables(SSL_CERT_FILE=CORP), given)
    assert roots(findings) == ["KVD321"]
    assert values(one(findings, "KVD321")) == [""]


def test_a_bundle_in_effect_that_no_store_could_replace_is_not_blamed() -> None:
    given = {
        **untrusted(issuer="Corp CA", system_ok=False, certifi_ok=False),
        **paths(good("SSL_CERT_FILE")),
    }
    assert roots(examine(variables(SSL_CERT_FILE=CORP), given)) == ["KVD320"]
