"""Both of Claude's variables at once are told, the same text in both is not."""

from __future__ import annotations

import dataclasses

from checks.clients.claude_token_and_key_set import claude_token_and_key_set
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting, Shadowed
from doctor.models import Severity, Status
from doctor.secrets import Secret
from tests.kit import KEY, connection, run_check

TOKEN = "sk-made0up0token0made0up0token0made0up0token"


def _claude(key: str, token: str | None) -> Connection:
    made = connection(
        "https://gateway.example",
        client="anthropic-sdk",
        protocol=Protocol.ANTHROPIC_MESSAGES,
    )
    shadows: tuple[Shadowed[Secret], ...] = ()
    if token is not None:
        origin = Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_AUTH_TOKEN")
        shadows = (Shadowed(Secret(token), origin),)
    held = Setting(Secret(key), Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_API_KEY"), shadows)
    return dataclasses.replace(made, key=held)


def test_both_are_named_with_their_places() -> None:
    result = run_check(claude_token_and_key_set, _claude(KEY, TOKEN))

    (finding,) = result.findings
    assert [evidence.location for evidence in finding.evidence] == [
        "ANTHROPIC_AUTH_TOKEN, environment",
        "ANTHROPIC_API_KEY, environment",
    ]
    assert finding.severity is Severity.WARNING
    assert KEY not in str(finding)
    assert TOKEN not in str(finding)


def test_one_alone_or_the_same_text_twice_is_sound() -> None:
    for token in (None, "", KEY):
        result = run_check(claude_token_and_key_set, _claude(KEY, token))

        assert result.status is Status.PASS


def test_a_client_of_another_api_has_no_such_pair() -> None:
    assert run_check(claude_token_and_key_set, connection()).status is Status.SKIPPED
