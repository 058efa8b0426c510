"""The right base URL of every known provider is sound, for each protocol that it serves."""

from __future__ import annotations

import pytest

from doctor import registry
from doctor.connection import Protocol
from doctor.settings.providers import providers
from tests.kit import connection, run_check

CLIENTS = {
    Protocol.OPENAI_CHAT: "openai-sdk",
    Protocol.ANTHROPIC_MESSAGES: "anthropic-sdk",
}
BASES = [
    (base, protocol)
    for known in providers()
    for protocol in CLIENTS
    for host in known.hosts or (None,)
    for base in known.bases(protocol, host and host.replace("*", "made-up"))
]
CHECKS = [check for check in registry.load().checks if check.area == "endpoint"]


@pytest.mark.parametrize(("base", "protocol"), BASES)
def test_nothing_is_found(base: str, protocol: Protocol) -> None:
    target = connection(base, client=CLIENTS[protocol], protocol=protocol)

    assert CHECKS
    for check in CHECKS:
        assert run_check(check, target).findings == ()
