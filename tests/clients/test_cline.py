"""Cline: which file counts, what it sends, and what it passes over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doctor.clients.prediction import predict
from doctor.connection import AuthHeader, OriginKind, Protocol, Unsent
from doctor.facts.machine import Environment
from tests.clients.homes import Content, found, ids, only
from tests.settings.machine import KEY, OTHER_KEY, key_of

FILE = "~/.cline/data/settings/providers.json"
BASE = "https://gateway.example/v1"
PLAIN = Environment({}, "linux", "/home/a", "/home/a")
Json = dict[str, Any]


def settings(provider: str = "openai-compatible", **more: Any) -> Json:
    own = {"provider": provider, "apiKey": KEY, "model": "m", "baseUrl": BASE, **more}
    entry = {
        "settings": {name: value for name, value in own.items() if value is not None},
        "updatedAt": "2026-11-29T00:00:00.000Z",
        "tokenSource": "manual",
    }
    return {"version": 1, "lastUsedProvider": provider, "providers": {provider: entry}}


def test_openai_compatible(tmp_path: Path) -> None:
    seen = found(tmp_path, {FILE: settings()})
    made = only(seen)
    assert (ids(seen), seen.targets[0].label) == (["cline"], FILE)
    assert (made.base_url.value, key_of(made), made.max_tokens) == (BASE, KEY, None)
    name = "providers.openai-compatible.settings.baseUrl"
    assert made.base_url.origin.name == name
    assert predict(made, PLAIN).url == f"{BASE}/chat/completions"


def test_anthropic_keeps_the_version_in_its_base(tmp_path: Path) -> None:
    made = only(found(tmp_path, {FILE: settings("anthropic")}))
    assert (made.protocol, made.auth.value) == (Protocol.ANTHROPIC_MESSAGES, AuthHeader.X_API_KEY)
    assert made.max_tokens is not None
    assert (made.max_tokens.value, made.max_tokens.origin.kind) == (4096, OriginKind.DEFAULT)
    assert predict(made, PLAIN).url == f"{BASE}/messages"


@pytest.mark.parametrize(
    ("base", "asked"),
    [
        ("https://gateway.example", "/v1beta/models/m"),
        ("https://gateway.example/v1beta/", "/v1beta/models/m"),
        ("https://gateway.example/v1", "/v1/models/m"),
        ("https://gateway.example/v1beta/openai", "/v1beta/openai/v1beta/models/m"),
    ],
)
def test_googles_version_is_added_where_the_base_ends_in_none(
    tmp_path: Path, base: str, asked: str
) -> None:
    made = only(found(tmp_path, {FILE: settings("gemini", baseUrl=base)}))
    url = f"https://gateway.example{asked}:streamGenerateContent?alt=sse"
    assert predict(made, PLAIN).url == url
    assert made.auth.value is AuthHeader.X_GOOG_API_KEY


@pytest.mark.parametrize("key", [None, "", "  "])
def test_a_blank_key_falls_back_to_the_variable(tmp_path: Path, key: str | None) -> None:
    made = only(found(tmp_path, {FILE: settings(apiKey=key)}, {"OPENAI_API_KEY": OTHER_KEY}))
    assert key_of(made) == OTHER_KEY


def test_blanks_are_kept_in_the_setting_and_not_sent(tmp_path: Path) -> None:
    made = only(found(tmp_path, {FILE: settings(apiKey=f" {KEY}\n", baseUrl=f" {BASE}/ ")}))
    assert key_of(made) == f" {KEY}\n"
    sent = predict(made, PLAIN)
    assert sent.url == f"{BASE}/chat/completions"
    assert sent.auth["authorization"] is not None
    assert sent.auth["authorization"].reveal() == f"Bearer {KEY}"


def test_the_token_of_a_login_is_told_and_not_held(tmp_path: Path) -> None:
    auth = {"accessToken": "made-up-token", "refreshToken": "r", "expiresAt": 1_900_000_000_000}
    seen = found(tmp_path, {FILE: settings(apiKey=None, auth=auth)})
    made = only(seen)
    assert made.unsent is not None
    assert (made.key, made.unsent.value) == (None, Unsent.OTHER_LOGIN)
    [login] = seen.settings.logins
    assert (login.expires_at, login.in_effect_for) == (1_900_000_000, ("cline",))
    assert "made-up-token" not in repr(seen)


@pytest.mark.parametrize(
    ("variable", "value", "path"),
    [
        ("CLINE_DIR", "~/c", "~/c/data/settings/providers.json"),
        ("CLINE_DATA_DIR", "~/d", "~/d/settings/providers.json"),
        ("CLINE_PROVIDER_SETTINGS_PATH", "~/p.json", "~/p.json"),
    ],
)
def test_moved_settings(tmp_path: Path, variable: str, value: str, path: str) -> None:
    files: dict[str, Content] = {path: settings(), FILE: settings("anthropic")}
    made = only(found(tmp_path, files, {variable: value}))
    assert made.protocol is Protocol.OPENAI_CHAT


def test_the_legacy_files(tmp_path: Path) -> None:
    state = {
        "mode": "act",
        "actModeApiProvider": "openai",
        "planModeApiProvider": "anthropic",
        "openAiBaseUrl": BASE,
        "actModeOpenAiModelId": "m",
    }
    files: dict[str, Content] = {
        "~/.cline/data/globalState.json": state,
        "~/.cline/data/secrets.json": {"openAiApiKey": KEY, "apiKey": OTHER_KEY},
    }
    made = only(found(tmp_path, files))
    assert (made.base_url.value, key_of(made)) == (BASE, KEY)
    assert made.base_url.origin.name == "openAiBaseUrl"


def test_the_new_file_hides_the_legacy_ones(tmp_path: Path) -> None:
    state = {"actModeApiProvider": "openai", "openAiBaseUrl": "https://old.example/v1"}
    files: dict[str, Content] = {FILE: settings(), "~/.cline/data/globalState.json": state}
    assert only(found(tmp_path, files)).base_url.value == BASE


@pytest.mark.parametrize(
    "content",
    [
        settings("cline", apiKey=None, baseUrl=None),
        settings("openai-native", baseUrl=None),
        settings("bedrock"),
        {"version": 1, "providers": {}},
        [],
    ],
)
def test_what_leads_to_no_gateway_is_no_target(tmp_path: Path, content: Any) -> None:
    import json

    assert ids(found(tmp_path, {FILE: json.dumps(content)})) == []


def test_who_names_it_gets_a_target_of_nothing(tmp_path: Path) -> None:
    made = only(found(tmp_path, {}, {"ANTHROPIC_BASE_URL": BASE}, "cline"))
    assert (made.base_url.origin.kind, made.key) == (OriginKind.DEFAULT, None)


@pytest.mark.parametrize(
    "text",
    ["{", "// a\n{}", '{"providers": {"a": {"settings": {"model": 5}}}, "lastUsedProvider": "a"}'],
)
def test_a_file_that_cline_passes_over_is_told(tmp_path: Path, text: str) -> None:
    [problem] = found(tmp_path, {FILE: text}).settings.problems
    assert (problem.client, problem.path) == ("cline", FILE)
    assert problem.consequence == "Cline starts as if no provider were set."
