"""KVD332: this machine's own end."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.network import TransportFault
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    one,
    roots,
    variables,
)
from tests.kit import connection

F = TransportFault


@pytest.mark.parametrize(
    ("text", "base", "words"),
    [
        ("[Errno 99] Cannot assign requested address", "http://localhost:8000/v1", "no IPv6"),
        (
            "[WinError 10049] The requested address is not valid in its context",
            "http://0.0.0.0:8000/v1",
            "http://127.0.0.1:8000",
        ),
        ("[WinError 10013] forbidden", "http://127.0.0.1:8000/v1", "excludedportrange"),
        ("[Errno 13] Permission denied", "http://127.0.0.1:8000/v1", "sandbox"),
        ("[WinError 10048] Only one usage", "http://127.0.0.1:8000/v1", "too many connections"),
        ("[Errno 98] Address already in use", "http://127.0.0.1:8000/v1", "too many connections"),
    ],
)
def test_what_the_system_itself_refuses(text: str, base: str, words: str) -> None:
    given: Given = {facts.COMPLETION: broken(F.OTHER, f"ConnectError: {text}")}
    findings = examine(variables(), given, connection(base))
    assert roots(findings) == ["KVD332"]
    assert words in one(findings, "KVD332").explanation


@pytest.mark.parametrize("text", ["[Errno 990] odd", "status 10048", "permission to speak"])
def test_numbers_that_only_look_alike_are_not_the_systems(text: str) -> None:
    assert roots(examine(variables(), {facts.COMPLETION: broken(F.OTHER, text)})) == ["KVD313"]
