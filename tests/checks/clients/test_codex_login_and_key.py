"""What Codex makes of its login and of a key in the shell."""

from __future__ import annotations

from checks.clients.codex_login_and_key import codex_login_and_key
from doctor.models import Severity
from tests.kit import KEY

from .world import CHATGPT, codex, found


def test_codex_uses_its_login_and_not_the_shells_key() -> None:
    target = codex("https://chatgpt.com/backend-api/codex")

    (finding,) = found(codex_login_and_key, target, CHATGPT, variables={"OPENAI_API_KEY": KEY})

    assert "OPENAI_API_KEY" in finding.title
    assert KEY not in str(finding)


def test_codex_with_its_login_alone_is_sound() -> None:
    target = codex("https://chatgpt.com/backend-api/codex")

    assert not found(codex_login_and_key, target, CHATGPT)


def test_the_login_at_the_api_of_keys_is_told() -> None:
    (finding,) = found(codex_login_and_key, codex("https://api.openai.com/v1"), CHATGPT)

    assert finding.severity is Severity.ERROR
