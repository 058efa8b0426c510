"""Both of Claude's variables at once are told, the same text in both is not."""

from __future__ import annotations

import dataclasses
from typing import Any

from checks.clients.claude_token_and_key_set import claude_token_and_key_set
from doctor import facts
from doctor.checkapi import SettingName
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting, Shadowed
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.facts.store import Fact
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


def _both_sent(second: str = KEY) -> Connection:
    made = connection(
        "https://gateway.example",
        TOKEN,
        client="claude-code",
        protocol=Protocol.ANTHROPIC_MESSAGES,
    )
    origin = Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_API_KEY")
    key = Setting(Secret(TOKEN), Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_AUTH_TOKEN"))
    return dataclasses.replace(made, key=key, second_key=Setting(Secret(second), origin))


def _refused() -> dict[Fact[Any], object]:
    exchange = Exchange("completion", "POST", "https://gateway.example/v1/messages", 401)
    return {facts.COMPLETION: Reply(exchange, Outcome(OutcomeKind.KEY_REFUSED))}


def test_two_that_are_sent_at_once_are_each_tried_alone_where_they_are_refused() -> None:
    (unproved,) = run_check(claude_token_and_key_set, _both_sent()).findings
    (refused,) = run_check(claude_token_and_key_set, _both_sent(), _refused()).findings

    assert unproved.severity is Severity.WARNING
    assert unproved.changes == ()
    assert refused.severity is Severity.ERROR
    tried = {(change.setting, change.value) for change in refused.changes}
    assert tried == {(SettingName.SECOND_KEY, None), (SettingName.KEY, None)}
    assert all(change.guess for change in refused.changes)


def test_a_token_of_another_vendor_is_the_first_to_go() -> None:
    made = _both_sent()
    foreign = Setting(Secret("sk-ant-api03-made-up-made-up-made-up"), made.key.origin)  # type: ignore[union-attr]

    (finding,) = run_check(
        claude_token_and_key_set, dataclasses.replace(made, key=foreign), _refused()
    ).findings

    first = min(finding.changes, key=lambda change: change.rank)
    assert first.setting is SettingName.KEY


def test_the_same_text_in_both_headers_is_sound() -> None:
    assert run_check(claude_token_and_key_set, _both_sent(TOKEN)).status is Status.PASS


def test_a_client_of_another_api_has_no_such_pair() -> None:
    assert run_check(claude_token_and_key_set, connection()).status is Status.SKIPPED
