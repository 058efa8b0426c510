from __future__ import annotations

import pytest

from checks.credentials.key_over_plaintext import key_over_plaintext
from doctor import facts
from doctor.facts.network import DnsAnswer
from doctor.models import Finding, Severity
from tests.checks.credentials.world import KEY, Given
from tests.kit import connection, run_check


def found(base: str, key: str | None = KEY, given: Given | None = None) -> tuple[Finding, ...]:
    return run_check(key_over_plaintext, connection(base, key), given).findings


@pytest.mark.parametrize(
    "base", ["http://gateway.example/v1", "http://203.0.114.7:8000/v1", "http://[2600::1]/v1"]
)
def test_a_key_in_clear_to_another_network(base: str) -> None:
    (finding,) = found(base)
    assert finding.severity is Severity.WARNING
    assert "over http, unencrypted" in finding.title


@pytest.mark.parametrize(
    "base",
    [
        "https://gateway.example/v1",
        "http://localhost:8000/v1",
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1",
        "http://[fe80::1]:8000/v1",
        "http://10.0.0.5:8000/v1",
        "http://192.168.1.7/v1",
        "http://172.20.0.3/v1",
        "http://100.64.0.9:8000/v1",
        "http://vllm:8000/v1",
        "http://host.docker.internal:8000/v1",
        "http://gpu.lan:8000/v1",
        "http://vllm.default.svc:8000/v1",
    ],
)
def test_the_own_network_and_https_pass(base: str) -> None:
    assert found(base) == ()


@pytest.mark.parametrize("key", [None, "", "EMPTY", "not-needed"])
def test_without_a_secret_there_is_nothing_to_lose(key: str | None) -> None:
    assert found("http://gateway.example/v1", key) == ()


def test_a_name_that_resolves_to_the_own_network_passes() -> None:
    dns = DnsAnswer("gpu.corp.example", ("10.1.2.3",), 1)
    assert found("http://gpu.corp.example/v1", given={facts.DNS: dns}) == ()
    public = DnsAnswer("gpu.corp.example", ("10.1.2.3", "203.0.114.7"), 1)
    assert len(found("http://gpu.corp.example/v1", given={facts.DNS: public})) == 1
