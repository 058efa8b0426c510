"""A login beside a key: which pairs are a fault."""

from __future__ import annotations

import dataclasses

from checks.clients.oauth_login_and_key import oauth_login_and_key
from doctor.connection import (
    AuthHeader,
    Origin,
    OriginKind,
    Setting,
    Unsent,
)
from doctor.facts.settings import Login, LoginKind, Role, Settings, Sighting
from doctor.models import Finding, Severity
from doctor.secrets import Secret
from tests.kit import KEY, connection, environment, run_check

from .world import CLAUDE, CONSOLE, claude, found


def test_an_api_key_takes_a_subscriptions_place() -> None:
    target = claude(
        "https://api.anthropic.com",
        KEY,
        auth=Setting(AuthHeader.X_API_KEY, Origin(OriginKind.DEFAULT, "default")),
    )
    stored = dataclasses.replace(CLAUDE, in_effect_for=())

    (finding,) = found(oauth_login_and_key, target, stored)

    assert "billed to the key" in finding.explanation


def test_a_token_beside_a_claude_login_does_no_harm() -> None:
    stored = dataclasses.replace(CLAUDE, in_effect_for=())

    assert not found(oauth_login_and_key, claude(key=KEY), stored)


def test_the_key_of_a_console_login_is_shown_to_nobody_else() -> None:
    second = Setting(Unsent.OTHER_LOGIN, CONSOLE.origin)

    (finding,) = found(oauth_login_and_key, claude(key=KEY, second_unsent=second), CONSOLE)

    assert finding.severity is Severity.ERROR
    assert "gateway.example gets a key that belongs to api.anthropic.com" in finding.explanation


def test_no_finding_ever_holds_a_key() -> None:
    second = Setting(Secret(KEY), CONSOLE.origin)
    target = claude(key=KEY[::-1], second_key=second)

    for one in found(oauth_login_and_key, target, CONSOLE):
        assert KEY not in str(one)
        assert KEY[::-1] not in str(one)


OPENCODE = Login(
    "opencode",
    LoginKind.OAUTH,
    "login for openai",
    Origin(OriginKind.FILE, "openai.access", "~/.local/share/opencode/auth.json", 1),
    vendor="chatgpt.com",
    in_effect_for=("target",),
)


def of_opencode(*names: str) -> tuple[Finding, ...]:
    """What is told where the settings of the provider hold ``names``."""
    made = connection("https://chatgpt.com/backend-api/codex", None, client="opencode")
    target = dataclasses.replace(made, unsent=Setting(Unsent.CHATGPT_LOGIN, OPENCODE.origin))
    sightings = tuple(
        Sighting(role, origin.name, value, origin, in_effect_for=("target",))
        for role, name, value in (
            (Role.BASE_URL, "baseURL", "https://gateway.example/v1"),
            (Role.KEY, "apiKey", Secret(KEY)),
        )
        if name in names
        for origin in [Origin(OriginKind.FILE, f"provider.openai.options.{name}", "~/c.json", 2)]
    )
    settings = Settings(logins=(OPENCODE,), sightings=sightings)
    return run_check(oauth_login_and_key, target, env=environment(), settings=settings).findings


def test_a_chatgpt_login_of_opencode_beside_its_own_address() -> None:
    (finding,) = of_opencode("baseURL", "apiKey")

    assert finding.severity is Severity.ERROR
    assert finding.title == "baseURL, apiKey of opencode lose against the login for openai"
    assert "chatgpt.com" in finding.explanation
    assert "opencode auth logout" in finding.explanation
    assert KEY not in str(finding)


def test_a_login_of_opencode_alone_is_right() -> None:
    assert of_opencode() == ()
