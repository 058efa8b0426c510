from __future__ import annotations

import pytest

from checks.credentials.key_of_another_provider import key_of_another_provider
from doctor.connection import Origin, OriginKind
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import Confidence, Finding
from doctor.secrets import Secret
from tests.checks.credentials.world import HEALTHY, KEY, REFUSED, Given, keys
from tests.kit import connection, run_check

OPENAI = "https://api.openai.com/v1"
OPENROUTER_KEY = "sk-or-v1-" + "0123456789abcdef" * 4
ANTHROPIC_KEY = "sk-ant-api03-made-up-made-up-made-up"
LOGIN_TOKEN = "sk-ant-oat01-made-up-made-up-made-up"
OPENAI_KEY = "sk-proj-made0up0made0up0made0up0made0up0"


def found(
    base: str, key: str, given: Given | None = None, settings: Settings | None = None
) -> tuple[Finding, ...]:
    target = connection(base, key)
    return run_check(key_of_another_provider, target, given, settings=settings).findings


@pytest.mark.parametrize(
    ("base", "key", "owner", "here"),
    [
        (OPENAI, OPENROUTER_KEY, "OpenRouter", "OpenAI"),
        (OPENAI, ANTHROPIC_KEY, "Anthropic", "OpenAI"),
        ("https://openrouter.ai/api/v1", OPENAI_KEY, "OpenAI", "OpenRouter"),
        ("https://api.anthropic.com", OPENROUTER_KEY, "OpenRouter", "Anthropic"),
    ],
)
def test_sure_shapes_at_the_wrong_provider_need_no_request(
    base: str, key: str, owner: str, here: str
) -> None:
    (finding,) = found(base, key)
    assert finding.title == f"The key belongs to {owner}, the URL does not"
    assert here in finding.explanation
    assert finding.confidence is Confidence.HIGH


def test_an_unknown_host_may_be_a_relay_that_takes_any_key() -> None:
    base = "https://relay.example/v1"
    assert found(base, OPENROUTER_KEY) == ()
    assert found(base, OPENROUTER_KEY, HEALTHY) == ()
    (finding,) = found(base, OPENROUTER_KEY, REFUSED)
    assert finding.confidence is Confidence.MEDIUM
    assert "likely" in finding.explanation


@pytest.mark.parametrize(
    ("base", "key"),
    [
        (OPENAI, OPENAI_KEY),
        ("https://openrouter.ai/api/v1", OPENROUTER_KEY),
        (OPENAI, KEY),
        ("https://taotoken.net/api/v1", KEY),
        ("http://localhost:8000/v1", "EMPTY"),
    ],
)
def test_the_own_shape_and_a_shared_one_pass(base: str, key: str) -> None:
    assert found(base, key, REFUSED) == ()


def test_a_login_token_is_no_api_key() -> None:
    (finding,) = found("https://api.anthropic.com", LOGIN_TOKEN, REFUSED)
    assert "login token" in finding.title
    assert "sk-ant-api" in finding.explanation
    (leaked,) = found("https://relay.example/v1", LOGIN_TOKEN, REFUSED)
    assert "relay.example" in leaked.explanation
    assert "log out" in leaked.explanation
    assert found("https://api.anthropic.com", LOGIN_TOKEN, HEALTHY) == ()


def sighting(name: str, key: str, provider: str) -> Sighting:
    origin = Origin(OriginKind.ENVIRONMENT, name)
    return Sighting(Role.KEY, name, Secret(key), origin, provider=provider)


def test_the_key_in_the_variable_of_the_right_provider_is_tried() -> None:
    settings = Settings(
        (
            sighting("OPENROUTER_API_KEY", OPENROUTER_KEY, "openrouter"),
            sighting("DEEPSEEK_API_KEY", KEY, "deepseek"),
        )
    )
    (finding,) = found("https://openrouter.ai/api/v1", OPENAI_KEY, REFUSED, settings)
    assert keys(list(finding.changes)) == [OPENROUTER_KEY]
    assert finding.changes[0].guess
    (plain,) = found("http://openrouter.ai/api/v1", OPENAI_KEY, REFUSED, settings)
    assert plain.changes == ()
