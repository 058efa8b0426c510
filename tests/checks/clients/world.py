"""Logins and connections that the tests of this area share."""

from __future__ import annotations

import dataclasses
from typing import Any

from doctor.checkapi import Check
from doctor.connection import (
    Connection,
    Origin,
    OriginKind,
    Protocol,
    Setting,
    Unsent,
)
from doctor.facts.settings import Login, LoginKind, Settings
from doctor.models import Finding, Status
from tests.kit import connection, environment, run_check

PLACE = Origin(OriginKind.FILE, "claudeAiOauth.accessToken", "~/.claude/.credentials.json", 1)
CLAUDE = Login(
    "claude-code",
    LoginKind.OAUTH,
    "claude.ai login",
    PLACE,
    vendor="api.anthropic.com",
    in_effect_for=("target",),
)
CONSOLE = Login(
    "claude-code",
    LoginKind.API_KEY,
    "key of a Console login",
    Origin(OriginKind.FILE, "primaryApiKey", "~/.claude.json", 1),
    vendor="api.anthropic.com",
)
HELPER = Login(
    "claude-code",
    LoginKind.HELPER,
    "apiKeyHelper",
    Origin(OriginKind.FILE, "apiKeyHelper", "~/.claude/settings.json", 2),
)
CHATGPT = Login(
    "codex",
    LoginKind.OAUTH,
    "ChatGPT login",
    Origin(OriginKind.FILE, "tokens", "~/.codex/auth.json", 1),
    vendor="chatgpt.com",
    in_effect_for=("target",),
)


def claude(
    base: str = "https://gateway.example", key: str | None = None, **more: Any
) -> Connection:
    made = connection(base, key, client="claude-code", protocol=Protocol.ANTHROPIC_MESSAGES)
    return dataclasses.replace(made, **more)


def codex(base: str, key: str | None = None) -> Connection:
    made = connection(base, key, client="codex", protocol=Protocol.OPENAI_RESPONSES)
    return dataclasses.replace(made, unsent=Setting(Unsent.CHATGPT_LOGIN, CHATGPT.origin))


def found(
    check: Check, target: Connection, *logins: Login, variables: dict[str, str] | None = None
) -> tuple[Finding, ...]:
    settings = Settings(logins=logins)
    result = run_check(check, target, env=environment(variables), settings=settings)
    assert result.status in (Status.PASS, Status.FINDINGS, Status.SKIPPED), result.reason
    return result.findings


SHELL = Origin(OriginKind.ENVIRONMENT, "ANTHROPIC_BASE_URL")
FILE = Origin(OriginKind.FILE, "env.ANTHROPIC_BASE_URL", "~/.claude/settings.json", 3)
