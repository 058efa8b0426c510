"""Only what nothing renews can be too old."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from checks.clients.oauth_token_expired import oauth_token_expired
from doctor.checkapi import facts
from doctor.connection import (
    Setting,
    Unsent,
)
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.facts.settings import Settings
from doctor.facts.store import Fact
from doctor.models import Status
from tests.kit import run_check

from .world import CLAUDE, PLACE, claude, found

KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"


def test_only_a_login_that_nothing_renews_can_be_too_old() -> None:
    target = claude("https://api.anthropic.com", unsent=Setting(Unsent.CLAUDE_LOGIN, PLACE))
    old = dataclasses.replace(CLAUDE, expires_at=1.0)

    assert not found(oauth_token_expired, target, old)
    (finding,) = found(oauth_token_expired, target, dataclasses.replace(old, renewable=False))
    assert "claude /login" in finding.explanation
    later = dataclasses.replace(CLAUDE, expires_at=4e9, renewable=False)
    assert not found(oauth_token_expired, target, later)


def test_an_odd_time_in_a_file_breaks_nothing() -> None:
    target = claude(unsent=Setting(Unsent.CLAUDE_LOGIN, PLACE))
    odd = dataclasses.replace(CLAUDE, expires_at=-1e30, renewable=False)

    assert found(oauth_token_expired, target, odd)


@pytest.mark.parametrize("key", [KEY, None])
def test_a_relays_own_login_can_be_too_old(key: str | None) -> None:
    """Nobody sent a login's token, and the answer speaks of one."""

    def told(message: str, status: int = 401) -> list[str]:
        exchange = Exchange("completion", "POST", "https://gateway.example/v1/messages", status)
        reply = Reply(exchange, Outcome(OutcomeKind.KEY_REFUSED, message=message))
        given: dict[Fact[Any], object] = {facts.COMPLETION: reply, facts.SETTINGS: Settings()}
        result = run_check(oauth_token_expired, claude(key=key), given)
        return [finding.title for finding in result.findings]

    assert told("OAuth token has expired. Please obtain a new token") == [
        "The login that gateway.example works with has expired"
    ]
    assert told("OAuth token revoked")
    assert told("invalid x-api-key") == []
    assert told("OAuth token has expired", status=200) == []


@pytest.mark.parametrize(
    ("base", "key"),
    [
        ("https://gateway.example", "sk-ant-oat01-made-up-made-up-made-up"),
        ("https://api.anthropic.com", KEY),
    ],
)
def test_a_token_that_was_sent_is_not_the_relays(base: str, key: str) -> None:
    exchange = Exchange("completion", "POST", f"{base}/v1/messages", 401)
    reply = Reply(exchange, Outcome(OutcomeKind.KEY_REFUSED, message="OAuth token has expired"))
    given: dict[Fact[Any], object] = {facts.COMPLETION: reply, facts.SETTINGS: Settings()}
    assert run_check(oauth_token_expired, claude(base, key), given).findings == ()


def test_without_a_login_or_such_an_answer_there_is_nothing_to_judge() -> None:
    given: dict[Fact[Any], object] = {facts.SETTINGS: Settings()}
    assert run_check(oauth_token_expired, claude(key=KEY), given).status is Status.SKIPPED
