"""opencode: its layers, what a value refers to, and what it sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doctor.clients.prediction import predict
from doctor.connection import AuthHeader, OriginKind, Protocol, Unsent
from doctor.facts.machine import Environment
from doctor.facts.settings import LoginKind, Role
from tests.clients.homes import Content, fatal, found, ids, only
from tests.settings.machine import KEY, OTHER_KEY, key_of

USER, AUTH = "~/.config/opencode/opencode.json", "~/.local/share/opencode/auth.json"
BASE = "https://gateway.example/v1"
PLAIN = Environment({}, "linux", "/home/a", "/home/a")
Json = dict[str, Any]


def settings(key: str | None = KEY, base: str | None = BASE, **provider: Any) -> Json:
    options: Json = {} if base is None else {"baseURL": base}
    options |= {} if key is None else {"apiKey": key}
    mine = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"m": {}}}
    return {"provider": {"mine": mine | provider}, "model": "mine/m"}


def overlay(**options: Any) -> Json:
    return {"provider": {"mine": {"options": options}}}


def test_a_provider_of_the_users_file(tmp_path: Path) -> None:
    seen = found(tmp_path, {USER: settings()})
    made = only(seen)
    assert (ids(seen), seen.targets[0].label) == (["opencode"], USER)
    assert made.base_url.value == BASE
    assert made.base_url.origin.name == "provider.mine.options.baseURL"
    assert key_of(made) == KEY
    assert made.model is not None
    assert made.max_tokens is not None
    assert (made.model.value, made.max_tokens.value) == ("m", 32_000)
    assert str(made.max_tokens.origin) == "opencode default"
    assert predict(made, PLAIN).url == f"{BASE}/chat/completions"


def test_the_order_of_all_layers(tmp_path: Path) -> None:
    """Low to high, as the real program was seen to merge them."""
    files: dict[str, Content] = {
        ".git/HEAD": "ref: refs/heads/main",
        "~/.config/opencode/config.json": overlay(baseURL="https://0.example"),
        USER: settings(base="https://1.example"),
        "~/.config/opencode/opencode.jsonc": overlay(baseURL="https://2.example"),
        "~/named.json": overlay(baseURL="https://3.example"),
        "opencode.json": overlay(baseURL="https://4.example"),
        "opencode.jsonc": overlay(baseURL="https://5.example"),
        ".opencode/opencode.json": overlay(baseURL="https://6.example"),
        "~/.opencode/opencode.json": overlay(baseURL="https://7.example"),
        "~/folder/opencode.json": overlay(baseURL="https://8.example"),
        "/etc/opencode/opencode.json": overlay(baseURL="https://10.example"),
        "/etc/opencode/opencode.jsonc": overlay(baseURL="https://11.example"),
    }
    variables = {
        "OPENCODE_CONFIG": "~/named.json",
        "OPENCODE_CONFIG_DIR": "~/folder",
        "OPENCODE_CONFIG_CONTENT": json.dumps(overlay(baseURL="https://9.example")),
    }
    base = only(found(tmp_path, files, variables, system=True)).base_url
    assert [base.value, *(shadow.value for shadow in base.shadows)] == [
        f"https://{number}.example" for number in range(11, -1, -1)
    ]


def test_an_outer_folder_counts_where_there_is_no_repository(tmp_path: Path) -> None:
    files: dict[str, Content] = {USER: settings(), "~/opencode.json": overlay(baseURL="http://b")}
    assert only(found(tmp_path, files)).base_url.value == "http://b"


def test_a_project_that_leads_a_users_key_elsewhere_is_marked(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        USER: settings(),
        "opencode.json": overlay(baseURL="https://b.example"),
    }
    made = only(found(tmp_path, files))
    assert made.base_url.origin.project
    assert made.key is not None
    assert not made.key.origin.project
    assert [shadow.value for shadow in made.base_url.shadows] == [BASE]


def test_and_its_key_is_not_sent_there(tmp_path: Path) -> None:
    from doctor.context import Options
    from doctor.probes.consent import refusal

    files: dict[str, Content] = {
        USER: settings(),
        "opencode.json": overlay(baseURL="https://b.example"),
    }
    made = only(found(tmp_path, files))
    refused = refusal(made, "b.example", Options(), "opencode")
    assert refused is not None
    assert refused.path == "opencode.json"


def test_a_variable_behind_the_key(tmp_path: Path) -> None:
    made = only(found(tmp_path, {USER: settings("{env:MY_KEY}")}, {"MY_KEY": KEY}))
    assert made.key is not None
    assert (made.key.origin.kind, made.key.origin.name) == (OriginKind.ENVIRONMENT, "MY_KEY")


def test_a_variable_that_is_not_set_hides_the_login(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        USER: settings("{env:MY_KEY}"),
        AUTH: {"mine": {"type": "api", "key": OTHER_KEY}},
    }
    seen = found(tmp_path, files)
    assert only(seen).key is None
    named = [s for s in seen.settings.sightings if s.role is Role.KEY_VARIABLE]
    assert [(s.value, s.in_effect_for) for s in named] == [("MY_KEY", ("opencode",))]


def test_a_variable_within_a_text(tmp_path: Path) -> None:
    made = only(found(tmp_path, {USER: settings(base="{env:HOST}/v1")}, {"HOST": "https://b"}))
    assert made.base_url.value == "https://b/v1"


def test_a_variable_in_the_place_of_a_number_is_no_fault(tmp_path: Path) -> None:
    text = json.dumps(settings()).replace(
        '"models": {"m": {}}', '"timeout": {env:T}, "models": {"m": {}}'
    )
    seen = found(tmp_path, {USER: text}, {"T": "5"})
    assert seen.settings.problems == ()
    assert only(seen).base_url.value == BASE


def test_a_key_file(tmp_path: Path) -> None:
    files: dict[str, Content] = {USER: settings("{file:~/k}"), "~/k": f" {KEY}\n"}
    made = only(found(tmp_path, files))
    assert key_of(made) == KEY
    assert made.key is not None
    assert made.key.origin.path == "~/k"


def test_a_key_file_that_is_not_there_keeps_it_from_starting(tmp_path: Path) -> None:
    seen = found(tmp_path, {USER: settings("{file:~/missing}")})
    [problem] = seen.settings.problems
    assert (problem.client, problem.consequence) == ("opencode", "opencode does not start.")


@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_may_not_lead_to_the_users_files(tmp_path: Path, trusted: bool) -> None:
    files: dict[str, Content] = {
        "opencode.json": settings("{file:~/.ssh/made-up}"),
        "~/.ssh/made-up": OTHER_KEY,
    }
    seen = found(tmp_path, files, trust_project=trusted)
    made = only(seen)
    if trusted:
        assert key_of(made) == OTHER_KEY
        return
    assert made.key is None
    assert made.unsent is not None
    assert made.unsent.value is Unsent.KEY_FILE
    assert OTHER_KEY not in {secret.reveal() for secret in seen.secrets}


@pytest.mark.parametrize(
    ("written", "stored", "shell", "key"),
    [
        (KEY, OTHER_KEY, OTHER_KEY, KEY),
        (None, OTHER_KEY, KEY, OTHER_KEY),
        (None, None, KEY, KEY),
        ("", OTHER_KEY, KEY, None),
    ],
)
def test_which_key_wins(
    tmp_path: Path, written: str | None, stored: str | None, shell: str, key: str | None
) -> None:
    files: dict[str, Content] = {USER: settings(written, env=["MY_KEY"])}
    if stored is not None:
        files[AUTH] = {"mine": {"type": "api", "key": stored}}
    assert key_of(only(found(tmp_path, files, {"MY_KEY": shell}))) == key


def test_of_two_variables_none_is_taken(tmp_path: Path) -> None:
    files: dict[str, Content] = {USER: settings(None, env=["A_KEY", "B_KEY"])}
    assert only(found(tmp_path, files, {"A_KEY": KEY})).key is None


@pytest.mark.parametrize(
    ("npm", "protocol", "auth"),
    [
        ("@ai-sdk/openai", Protocol.OPENAI_RESPONSES, AuthHeader.BEARER),
        ("@ai-sdk/anthropic", Protocol.ANTHROPIC_MESSAGES, AuthHeader.X_API_KEY),
    ],
)
def test_the_package_decides_on_the_protocol(
    tmp_path: Path, npm: str, protocol: Protocol, auth: AuthHeader
) -> None:
    made = only(found(tmp_path, {USER: settings(npm=npm)}))
    assert (made.protocol, made.auth.value) == (protocol, auth)


def test_a_package_that_is_not_known_is_no_target(tmp_path: Path) -> None:
    assert ids(found(tmp_path, {USER: settings(npm="@ai-sdk/google")})) == []


def test_the_vendors_provider_at_a_gateway_of_the_shell(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        USER: {"model": "anthropic/claude-sonnet-4-5"},
        AUTH: {"anthropic": {"type": "api", "key": KEY}},
    }
    seen = found(tmp_path, files, {"ANTHROPIC_BASE_URL": BASE})
    made = next(target.connection for target in seen.targets if target.id == "opencode")
    assert (made.base_url.value, key_of(made)) == (BASE, KEY)


def test_a_login_is_told_without_its_token(tmp_path: Path) -> None:
    entry = {
        "type": "oauth",
        "access": "made-up-access",
        "refresh": "",
        "expires": 1_900_000_000_000,
    }
    seen = found(tmp_path, {AUTH: {"anthropic": entry}})
    [login] = seen.settings.logins
    assert (login.kind, login.vendor, login.expires_at, login.renewable) == (
        LoginKind.OAUTH,
        "api.anthropic.com",
        1_900_000_000,
        False,
    )
    assert ids(seen) == []
    assert "made-up-access" not in repr(seen)


OAUTH = {"type": "oauth", "access": "made-up-access", "refresh": "made-up-refresh", "expires": 0}


def with_login(provider: str) -> dict[str, Content]:
    options = {"baseURL": BASE, "apiKey": KEY}
    table = {"options": options, "models": {"m": {}}}
    mine = {"provider": {provider: table}, "model": f"{provider}/m"}
    return {USER: mine, AUTH: {provider: OAUTH}}


def test_a_chatgpt_login_takes_the_place_of_address_and_key(tmp_path: Path) -> None:
    made = only(found(tmp_path, with_login("openai")))
    assert made.unsent is not None
    assert (made.key, made.unsent.value) == (None, Unsent.CHATGPT_LOGIN)
    assert predict(made, PLAIN).url == "https://chatgpt.com/backend-api/codex/responses"


def test_a_copilot_login_goes_where_the_settings_say(tmp_path: Path) -> None:
    made = only(found(tmp_path, with_login("github-copilot")))
    assert made.unsent is not None
    assert (made.key, made.unsent.value, made.base_url.value) == (None, Unsent.OTHER_LOGIN, BASE)


@pytest.mark.parametrize("provider", ["anthropic", "mine"])
def test_other_logins_yield_to_the_key(tmp_path: Path, provider: str) -> None:
    made = only(found(tmp_path, with_login(provider)))
    assert (key_of(made), made.unsent, made.base_url.value) == (KEY, None, BASE)


@pytest.mark.parametrize(
    ("limit", "variables", "sent"),
    [
        ({"context": 9000, "output": 900}, {}, 900),
        ({"context": 9000, "output": 64_000}, {}, 32_000),
        (
            {"context": 9000, "output": 64_000},
            {"OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX": "50000"},
            50_000,
        ),
        ({"context": 0, "output": 0}, {}, 32_000),
    ],
)
def test_the_largest_answer(
    tmp_path: Path, limit: Json, variables: dict[str, str], sent: int
) -> None:
    made = only(found(tmp_path, {USER: settings(models={"m": {"limit": limit}})}, variables))
    assert made.max_tokens is not None
    assert made.max_tokens.value == sent


def test_the_real_name_of_a_model_and_the_agents_model(tmp_path: Path) -> None:
    models = {"m": {}, "n": {"id": "real/name"}}
    content = settings(models=models) | {"agent": {"build": {"model": "mine/n"}}}
    made = only(found(tmp_path, {USER: content}))
    assert made.model is not None
    assert made.model.value == "real/name"


def test_without_a_model_every_provider_is_examined(tmp_path: Path) -> None:
    content = settings()
    del content["model"]
    other = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "https://b.example/v1"}}
    content["provider"]["other"] = other
    assert ids(found(tmp_path, {USER: content})) == ["opencode", "opencode-other"]


def test_who_names_it_gets_a_target_of_nothing(tmp_path: Path) -> None:
    made = only(found(tmp_path, {}, {}, "opencode"))
    assert (made.base_url.origin.kind, made.key) == (OriginKind.DEFAULT, None)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (settings(models={"m": {"limit": {"context": 1}}}), "provider.mine.models.m.limit"),
        (settings(models={"other": {}}), "model"),
        (settings() | {"disabled_providers": ["mine"]}, "disabled_providers"),
        (settings() | {"enabled_providers": ["other"]}, "enabled_providers"),
        (settings(options={"baseURL": 5}), "provider.mine.options.baseURL"),
    ],
)
def test_what_it_does_not_take(tmp_path: Path, content: Json, name: str) -> None:
    assert fatal(found(tmp_path, {USER: content}, {}, "opencode")) == [name]


@pytest.mark.parametrize("text", ["{", '{"a": }', "[1", '{"provider": {"mine": '])
def test_a_file_that_does_not_parse_is_told_with_its_place(tmp_path: Path, text: str) -> None:
    [problem] = found(tmp_path, {USER: text}).settings.problems
    assert (problem.client, problem.path) == ("opencode", USER)


@pytest.mark.parametrize(
    "content",
    [[], 5, {"provider": []}, {"provider": {"mine": []}}, {"model": {"a": 1}, "provider": None}],
)
def test_odd_shapes_are_borne(tmp_path: Path, content: Any) -> None:
    assert ids(found(tmp_path, {USER: json.dumps(content), AUTH: json.dumps(content)})) == []
