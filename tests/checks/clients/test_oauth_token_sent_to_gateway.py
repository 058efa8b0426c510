"""A login goes to its vendor alone."""

from __future__ import annotations

import pytest

from checks.clients.oauth_token_sent_to_gateway import oauth_token_sent_to_gateway
from doctor.connection import (
    Setting,
    Unsent,
)
from doctor.models import Severity
from tests.kit import KEY

from .world import CHATGPT, CLAUDE, PLACE, claude, codex, found


@pytest.mark.parametrize(
    ("host", "severity"),
    [
        ("https://gateway.example", Severity.CRITICAL),
        ("http://10.0.0.7:3000", Severity.WARNING),
        ("http://127.0.0.1:3456", Severity.INFO),
    ],
)
def test_a_login_that_would_leave_its_vendor_is_told(host: str, severity: Severity) -> None:
    target = claude(host, unsent=Setting(Unsent.CLAUDE_LOGIN, PLACE))

    (finding,) = found(oauth_token_sent_to_gateway, target, CLAUDE)

    assert finding.severity is severity
    assert "ANTHROPIC_AUTH_TOKEN" in finding.explanation


def test_a_login_at_its_vendor_is_sound() -> None:
    unsent = Setting(Unsent.CLAUDE_LOGIN, PLACE)

    assert not found(
        oauth_token_sent_to_gateway, claude("https://api.anthropic.com", unsent=unsent), CLAUDE
    )
    assert not found(
        oauth_token_sent_to_gateway, codex("https://chatgpt.com/backend-api/codex"), CHATGPT
    )
    assert not found(oauth_token_sent_to_gateway, codex("https://api.openai.com/v1"), CHATGPT)


def test_the_gateways_own_key_is_named_where_its_variable_is_set() -> None:
    target = claude("https://taotoken.net/api", unsent=Setting(Unsent.CLAUDE_LOGIN, PLACE))

    (finding,) = found(
        oauth_token_sent_to_gateway, target, CLAUDE, variables={"TAOTOKEN_API_KEY": KEY}
    )

    assert 'export ANTHROPIC_AUTH_TOKEN="$TAOTOKEN_API_KEY"' in finding.explanation
    assert KEY not in str(finding)


def test_a_lookalike_of_the_vendor_is_not_the_vendor() -> None:
    target = claude(
        "https://api.anthropic.com.example.net", unsent=Setting(Unsent.CLAUDE_LOGIN, PLACE)
    )

    assert found(oauth_token_sent_to_gateway, target, CLAUDE)
