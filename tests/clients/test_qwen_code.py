"""What kvdoctor makes of the files of Qwen Code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doctor.clients.qwen_limits import default, limit
from doctor.connection import AuthHeader, Origin, OriginKind, Protocol
from doctor.facts.settings import LoginKind, Role
from tests.clients.lone import BASE, KEY, OTHER_KEY, LoneHome, all_texts

SETTINGS = "~/.qwen/settings.json"


@pytest.fixture
def home(tmp_path: Path) -> LoneHome:
    return LoneHome(tmp_path, "qwen-code")


def settings(home: LoneHome, method: str = "openai", **more: Any) -> None:
    home.write(SETTINGS, {"security": {"auth": {"selectedType": method}}, **more})


def shell(home: LoneHome, **more: str) -> None:
    home.variables |= {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{BASE}/v1"} | more


def test_the_shell_wins_over_env_file_and_settings(home: LoneHome) -> None:
    settings(home, env={"OPENAI_API_KEY": OTHER_KEY, "OPENAI_BASE_URL": "http://settings/v1"})
    home.write("~/.qwen/.env", "OPENAI_BASE_URL=http://file/v1\n")
    shell(home)

    base = home.connection().base_url

    assert base.value == f"{BASE}/v1"
    assert base.origin == Origin(OriginKind.ENVIRONMENT, "OPENAI_BASE_URL")
    assert [shadow.value for shadow in base.shadows] == ["http://file/v1", "http://settings/v1"]
    assert home.auth() == {"authorization": f"Bearer {KEY}"}


def test_an_empty_variable_counts_as_unset(home: LoneHome) -> None:
    settings(home, env={"OPENAI_API_KEY": OTHER_KEY})
    home.variables["OPENAI_API_KEY"] = ""

    assert home.auth() == {"authorization": f"Bearer {OTHER_KEY}"}


def test_values_keep_their_place(home: LoneHome) -> None:
    settings(home, env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{BASE}/v1"})

    key = home.connection().key

    assert key is not None
    assert (key.origin.name, key.origin.path) == ("env.OPENAI_API_KEY", SETTINGS)
    assert key.origin.line == 8
    [place] = home.found().key_places
    assert (place.shown, place.line) == (SETTINGS, 8)


def test_a_project_file_is_one_of_others(home: LoneHome) -> None:
    settings(home, env={"OPENAI_API_KEY": KEY})
    home.write(".qwen/settings.json", {"env": {"OPENAI_BASE_URL": "http://elsewhere/v1"}})

    connection = home.connection()

    assert connection.base_url.value == "http://elsewhere/v1"
    assert connection.base_url.origin.project
    assert connection.key is not None
    assert not connection.key.origin.project


def test_a_listed_model_wins_over_the_shell(home: LoneHome) -> None:
    entry = {"id": "m", "envKey": "OWN", "baseUrl": "http://own/v1"}
    settings(home, modelProviders={"openai": [entry]}, model={"name": "m"})
    shell(home, OWN=OTHER_KEY, OPENAI_MODEL="of-the-shell")

    connection = home.connection()

    assert connection.base_url.value == "http://own/v1"
    assert connection.base_url.origin.name == "modelProviders.openai.0.baseUrl"
    assert home.auth() == {"authorization": f"Bearer {OTHER_KEY}"}
    assert home.sent().model == "m"


def test_a_key_variable_that_is_unset_is_noted(home: LoneHome) -> None:
    entry = {"id": "m", "envKey": "OWN", "baseUrl": "http://own/v1"}
    settings(home, modelProviders={"openai": [entry]}, model={"name": "m"})

    found = home.found()

    named = [sighting for sighting in found.sightings if sighting.role is Role.KEY_VARIABLE]
    assert [sighting.value for sighting in named] == ["OWN"]
    assert found.candidates[0].connection.key is None
    assert named[0].origin in found.candidates[0].origins


def test_a_key_variable_with_another_key_behind_it_is_no_fault(home: LoneHome) -> None:
    entry = {"id": "m", "envKey": "OWN", "baseUrl": "http://own/v1"}
    settings(home, modelProviders={"openai": [entry]}, model={"name": "m"})
    home.variables["OPENAI_API_KEY"] = KEY

    found = home.found()

    assert [s for s in found.sightings if s.role is Role.KEY_VARIABLE] == []
    assert home.auth() == {"authorization": f"Bearer {KEY}"}


def test_of_two_entries_the_address_decides(home: LoneHome) -> None:
    entries = [{"id": "m", "baseUrl": "http://one/v1"}, {"id": "m", "baseUrl": "http://two/v1"}]
    model = {"name": "m", "baseUrl": "http://two/v1"}
    settings(home, modelProviders={"openai": entries}, model=model)

    assert home.connection().base_url.value == "http://two/v1"


def test_what_the_model_section_says_does_not_reach_a_listed_model(home: LoneHome) -> None:
    entry = {"id": "m", "baseUrl": "http://own/v1"}
    sampling = {"samplingParams": {"max_tokens": 100}}
    model = {"name": "m", "generationConfig": sampling}
    settings(home, modelProviders={"openai": [entry]}, model=model)

    found = home.found()

    assert found.candidates[0].connection.max_tokens is not None
    assert found.candidates[0].connection.max_tokens.value == 32_000
    [ignored] = found.unsupported
    assert ignored.name == "model.generationConfig.samplingParams"
    assert not ignored.fatal


@pytest.mark.parametrize(
    ("method", "protocol", "header", "url"),
    [
        ("openai", Protocol.OPENAI_CHAT, AuthHeader.BEARER, "/chat/completions"),
        ("anthropic", Protocol.ANTHROPIC_MESSAGES, AuthHeader.BEARER, "/v1/messages"),
        (
            "gemini",
            Protocol.GEMINI_GENERATE,
            AuthHeader.X_GOOG_API_KEY,
            "/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_each_method_speaks_its_protocol(
    method: str, protocol: Protocol, header: AuthHeader, url: str, home: LoneHome
) -> None:
    entry = {"id": "m", "envKey": "OWN", "baseUrl": BASE}
    settings(home, method, modelProviders={method: [entry]}, model={"name": "m"})
    home.variables["OWN"] = KEY

    connection = home.connection()

    assert connection.protocol is protocol
    assert connection.auth.value is header
    assert home.sent().url == BASE + url


def test_the_proxy_of_the_settings_comes_first(home: LoneHome) -> None:
    settings(home, proxy="http://proxy.example:3128")
    shell(home, HTTPS_PROXY="http://other.example:1", HTTP_PROXY="http://other.example:1")

    assert home.sent().proxy == "http://proxy.example:3128"


def test_a_login_is_told_without_its_token(home: LoneHome) -> None:
    settings(home, "qwen-oauth")
    home.write("~/.qwen/oauth_creds.json", {"access_token": "made-up-token", "expiry_date": 1})

    found = home.found()

    assert [login.kind for login in found.logins] == [LoginKind.OAUTH]
    assert "made-up-token" not in all_texts(found)
    [ended] = found.unsupported
    assert ended.fatal


def test_settings_that_do_not_parse_are_a_problem(home: LoneHome) -> None:
    home.write(SETTINGS, '{"env": {"OPENAI_API_KEY": }}')

    [problem] = home.found().problems

    assert (problem.path, problem.line, problem.client) == (SETTINGS, 1, "qwen-code")
    assert "not start" in problem.consequence


def test_variables_alone_make_no_target_of_its_own(home: LoneHome) -> None:
    settings(home)
    shell(home, OPENAI_MODEL="m")

    assert home.discovered().candidates == []
    assert len(home.found().candidates) == 1


def test_nothing_at_all_is_the_default(home: LoneHome) -> None:
    connection = home.connection()

    assert connection.base_url.origin.kind is OriginKind.DEFAULT
    assert connection.key is None


@pytest.mark.parametrize(
    ("model", "most", "own"),
    [
        ("tiny", None, 32_000),
        ("Qwen/Qwen3-8B", 32_768, 32_768),
        ("gpt-5-mini", 131_072, 64_000),
        ("openai/gpt-4o-2024-08-06", 16_384, 16_384),
        ("deepseek-v4-pro", 384_000, 64_000),
        ("deepseek-r1:8b", 65_536, 64_000),
        ("claude-opus-4.6-20260101", 128_000, 128_000),
        ("GLM-5", 131_072, 64_000),
        ("a|qwen3.7-max", 65_536, 64_000),
    ],
)
def test_its_own_budget_by_the_name(model: str, most: int | None, own: int) -> None:
    assert limit(model) == most
    assert default(model, None) == own


@pytest.mark.parametrize(
    ("window", "own"), [(8_192, 4_000), (14_000, 4_000), (60_000, None), (200_000, 32_000)]
)
def test_a_small_window_leaves_less(window: int, own: int | None) -> None:
    assert default("tiny", window) == own
