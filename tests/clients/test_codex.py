"""Codex: which value of which file wins, what it sends, and what it does not take."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from doctor.clients import profile
from doctor.clients.base import ClientRefusal
from doctor.clients.codex import join, prepare_key
from doctor.clients.prediction import predict
from doctor.connection import OriginKind, Unsent
from doctor.facts.machine import Environment
from doctor.facts.settings import LoginKind, Role
from doctor.secrets import Secret
from tests.clients.homes import Content, fatal, found, ids, only
from tests.settings.machine import KEY, OTHER_KEY, key_of

CONFIG, AUTH, DOTENV = "~/.codex/config.toml", "~/.codex/auth.json", "~/.codex/.env"
BASE = "https://gateway.example/v1"
PLAIN = Environment({}, "linux", "/home/a", "/home/a")


def provider(*lines: str, top: str = "", end: str = "", base: str = BASE) -> str:
    return (
        f'model = "m"\nmodel_provider = "mine"\n{top}\n[model_providers.mine]\nname = "Mine"\n'
        f'base_url = "{base}"\n' + "".join(f"{line}\n" for line in lines) + end
    )


def test_a_key_of_a_variable(tmp_path: Path) -> None:
    seen = found(tmp_path, {CONFIG: provider('env_key = "GATEWAY_KEY"')}, {"GATEWAY_KEY": KEY})
    made = only(seen)
    assert ids(seen) == ["codex"]
    assert seen.targets[0].label == CONFIG
    assert (made.base_url.value, str(made.base_url.origin)) == (
        BASE,
        f"model_providers.mine.base_url, {CONFIG}:6",
    )
    assert made.key is not None
    assert (made.key.value.reveal(), str(made.key.origin)) == (KEY, "GATEWAY_KEY, environment")
    assert made.model is not None
    assert (made.model.value, made.max_tokens) == ("m", None)
    assert profile("codex").endpoint(made).url == f"{BASE}/responses"


def test_a_variable_that_is_not_set_is_told_by_its_name(tmp_path: Path) -> None:
    files = {CONFIG: provider('env_key = "GATEWAY_KEY"', f'experimental_bearer_token = "{KEY}"')}
    seen = found(tmp_path, files)
    assert only(seen).key is None
    named = [s for s in seen.settings.sightings if s.role is Role.KEY_VARIABLE]
    assert [(s.value, s.in_effect_for) for s in named] == [("GATEWAY_KEY", ("codex",))]


def test_its_own_env_file_wins_but_not_with_its_own_names(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        CONFIG: provider('env_key = "GATEWAY_KEY"'),
        DOTENV: f"GATEWAY_KEY={OTHER_KEY}\nCODEX_API_KEY=x\nHTTPS_PROXY=http://127.0.0.1:9\n",
    }
    made = only(found(tmp_path, files, {"GATEWAY_KEY": KEY}))
    assert key_of(made) == OTHER_KEY
    assert made.key is not None
    assert [shadow.value.reveal() for shadow in made.key.shadows] == [KEY]
    assert list(made.variables) == ["HTTPS_PROXY"]


def test_without_any_of_its_ways_it_sends_no_key(tmp_path: Path) -> None:
    files: dict[str, Content] = {CONFIG: provider(), AUTH: {"OPENAI_API_KEY": KEY}}
    made = only(found(tmp_path, files, {"CODEX_API_KEY": KEY, "GATEWAY_API_KEY": KEY}))
    assert predict(made, PLAIN).auth == {}


@pytest.mark.parametrize(
    ("variables", "key"), [({}, KEY), ({"CODEX_API_KEY": f" {OTHER_KEY} "}, OTHER_KEY)]
)
def test_a_stored_key_and_the_variable_before_it(
    tmp_path: Path, variables: dict[str, str], key: str
) -> None:
    files: dict[str, Content] = {
        CONFIG: provider("requires_openai_auth = true"),
        AUTH: {"auth_mode": "apikey", "OPENAI_API_KEY": KEY},
    }
    seen = found(tmp_path, files, variables)
    assert key_of(only(seen)) == key
    assert [(one.kind, one.vendor) for one in seen.settings.logins] == [
        (LoginKind.API_KEY, "api.openai.com")
    ]


def _jwt(expires: int) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": expires}).encode()).decode().rstrip("=")
    return f"eyJhbGciOiJub25lIn0.{claims}.made-up"


@pytest.mark.parametrize("asks", [True, False])
def test_a_login_is_told_and_its_token_is_never_held(tmp_path: Path, asks: bool) -> None:
    token = _jwt(1_900_000_000)
    files: dict[str, Content] = {
        CONFIG: provider(f"requires_openai_auth = {str(asks).lower()}"),
        AUTH: {
            "auth_mode": "chatgpt",
            "OPENAI_API_KEY": None,
            "tokens": {"access_token": token, "refresh_token": "made-up-refresh"},
        },
    }
    seen = found(tmp_path, files)
    made = only(seen)
    assert made.key is None
    assert (made.unsent is not None and made.unsent.value is Unsent.CHATGPT_LOGIN) is asks
    [login] = seen.settings.logins
    assert (login.vendor, login.expires_at, login.renewable, login.key) == (
        "chatgpt.com",
        1_900_000_000,
        True,
        None,
    )
    assert login.in_effect_for == (("codex",) if asks else ())
    assert token not in repr(seen)
    assert "made-up-refresh" not in repr(seen)


def test_a_plain_login_makes_no_target_and_is_told(tmp_path: Path) -> None:
    files: dict[str, Content] = {AUTH: {"auth_mode": "apikey", "OPENAI_API_KEY": KEY}}
    seen = found(tmp_path, files)
    assert ids(seen) == []
    assert len(seen.settings.logins) == 1


def test_who_names_codex_gets_a_target_of_nothing(tmp_path: Path) -> None:
    made = only(found(tmp_path, {}, {}, "codex"))
    assert (made.base_url.value, made.base_url.origin.kind, made.key) == (
        "https://api.openai.com/v1",
        OriginKind.DEFAULT,
        None,
    )


def test_a_command_for_a_key_is_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "was-run"
    auth = f'[model_providers.mine.auth]\ncommand = "touch"\nargs = ["{mark}"]\n'
    seen = found(tmp_path, {CONFIG: provider(end=auth)})
    made = only(seen)
    assert made.unsent is not None
    assert made.unsent.value is Unsent.KEY_HELPER
    assert [login.kind for login in seen.settings.logins] == [LoginKind.HELPER]
    assert not mark.exists()


def test_the_order_of_the_files(tmp_path: Path) -> None:
    project = tmp_path / "home" / "app"
    trust = f'[projects."{project}"]\ntrust_level = "trusted"\n'
    files: dict[str, Content] = {
        CONFIG: provider(end=trust),
        ".codex/config.toml": 'model = "of-the-project"\nmodel_provider = "theirs"\n',
        "/etc/codex/config.toml": 'model = "of-the-system"\n',
    }
    seen = found(tmp_path, files, system=True)
    made = only(seen)
    assert made.model is not None
    assert made.model.origin.project
    assert [made.model.value, *(shadow.value for shadow in made.model.shadows)] == [
        "of-the-project",
        "m",
        "of-the-system",
    ]
    assert made.base_url.value == BASE
    ignored = [(one.name, one.fatal) for one in seen.settings.unsupported]
    assert ignored == [("model_provider", False)]


def test_a_project_that_is_not_trusted_says_nothing(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        CONFIG: provider(),
        ".codex/config.toml": 'model = "theirs"\nmodel_provider = "x"\n',
    }
    seen = found(tmp_path, files)
    made = only(seen)
    assert made.model is not None
    assert made.model.value == "m"
    assert seen.settings.unsupported == ()


def test_managed_settings_win(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        CONFIG: provider(),
        "/etc/codex/managed_config.toml": '[model_providers.mine]\nbase_url = "https://b.example"\n',
    }
    made = only(found(tmp_path, files, system=True))
    assert made.base_url.value == "https://b.example"
    assert [shadow.value for shadow in made.base_url.shadows] == [BASE]


def test_a_profile_is_a_target_of_its_own_if_it_leads_elsewhere(tmp_path: Path) -> None:
    elsewhere = '[model_providers.mine]\nbase_url = "https://work.example/v1"\n'
    files: dict[str, Content] = {
        CONFIG: provider(),
        "~/.codex/work.config.toml": elsewhere,
        "~/.codex/fast.config.toml": 'model = "small"\n',
    }
    seen = found(tmp_path, files)
    assert ids(seen) == ["codex", "codex-work"]
    assert seen.targets[1].connection.base_url.value == "https://work.example/v1"


def test_a_moved_folder(tmp_path: Path) -> None:
    seen = found(tmp_path, {"~/moved/config.toml": provider()}, {"CODEX_HOME": "~/moved"})
    assert only(seen).base_url.value == BASE


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (provider('wire_api = "chat"'), "wire_api"),
        (provider(end='[model_providers.x]\nname = "x"\nwire_api = "chat"\n'), "wire_api"),
        (provider(top='profile = "work"'), "profile"),
        (provider(end='[model_providers.openai]\nname = "a"\n'), "model_providers.openai"),
        ('model_provider = "mime"\n[model_providers.mine]\nname = "a"\n', "model_provider"),
        (provider().replace('name = "Mine"\n', ""), "model_providers.mine"),
        ("model = 5\n" + provider().partition("\n")[2], "model"),
    ],
)
def test_what_keeps_it_from_starting(tmp_path: Path, config: str, name: str) -> None:
    assert fatal(found(tmp_path, {CONFIG: config}, {}, "codex")) == [name]


def test_a_moved_folder_that_is_not_there(tmp_path: Path) -> None:
    assert fatal(found(tmp_path, {}, {"CODEX_HOME": "~/missing"}, "codex")) == ["CODEX_HOME"]


def test_a_misspelt_provider_is_led_to_the_nearest(tmp_path: Path) -> None:
    config = 'model_provider = "mime"\n[model_providers.mine]\nname = "a"\n'
    [one] = found(tmp_path, {CONFIG: config}, {}, "codex").settings.unsupported
    assert (one.value, one.replacement) == ("mime", "mine")


@pytest.mark.parametrize("text", ['model = "m\n', "[a\n", "a = 1\na = 2\n", "\x00", "= 5"])
def test_a_file_that_does_not_parse_is_told_with_its_place(tmp_path: Path, text: str) -> None:
    seen = found(tmp_path, {CONFIG: text}, {}, "codex")
    [problem] = seen.settings.problems
    assert (problem.client, problem.path, problem.line is not None) == ("codex", CONFIG, True)
    assert problem.consequence == "Codex does not start."


def test_the_sdks_address_is_told_where_codex_is_meant_by_it(tmp_path: Path) -> None:
    files: dict[str, Content] = {AUTH: {"auth_mode": "apikey", "OPENAI_API_KEY": KEY}}
    shell = {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}
    seen = found(tmp_path, files, shell)
    assert [one.name for one in seen.settings.unsupported] == ["OPENAI_BASE_URL"]


@pytest.mark.parametrize(
    ("files", "shell"),
    [
        ({CONFIG: provider()}, {"OPENAI_BASE_URL": BASE}),
        ({AUTH: {"OPENAI_API_KEY": OTHER_KEY}}, {"OPENAI_BASE_URL": BASE, "OPENAI_API_KEY": KEY}),
        (
            {AUTH: {"OPENAI_API_KEY": KEY}},
            {"OPENAI_BASE_URL": "https://api.openai.com/v1", "OPENAI_API_KEY": KEY},
        ),
    ],
    ids=["another provider", "another key", "the vendor itself"],
)
def test_and_not_where_it_is_for_others(
    tmp_path: Path, files: dict[str, Content], shell: dict[str, str]
) -> None:
    assert found(tmp_path, files, shell).settings.unsupported == ()


def test_headers_and_query(tmp_path: Path) -> None:
    lines = (
        'http_headers = { X-Team = "a", Authorization = "Bearer of-a-header" }',
        'env_http_headers = { X-Team = "TEAM", X-Blank = "BLANK" }',
        'query_params = { api-version = "2026-01 a" }',
    )
    made = only(found(tmp_path, {CONFIG: provider(*lines)}, {"TEAM": "b", "BLANK": " "}))
    sent = predict(made, PLAIN)
    assert sent.url == f"{BASE}/responses?api-version=2026-01%20a"
    assert {name: value.reveal() for name, value in sent.headers.items()} == {"x-team": "b"}
    assert sent.auth["authorization"] is not None
    token = (f'experimental_bearer_token = "{KEY}"',)
    keyed = only(found(tmp_path / "b", {CONFIG: provider(*lines, *token)}))
    assert predict(keyed, PLAIN).auth == {"authorization": Secret(f"Bearer {KEY}")}


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://a.example/v1//", "https://a.example/v1/responses"),
        (" https://a.example/v1", "https://a.example/v1/responses"),
        ("https://a.example/v1 ", "https://a.example/v1%20/responses"),
        ("https://a.example/v1\n", "https://a.example/v1/responses"),
        ("https://a.example/v1?a=b", "https://a.example/v1?a=b/responses"),
        ("https://a.example/v1#x", "https://a.example/v1"),
    ],
)
def test_how_it_joins(base: str, url: str) -> None:
    assert join(base, "/responses") == url


@pytest.mark.parametrize("base", ["", "a.example/v1", "127.0.0.1:8000/v1", "ftp://a.example/v1"])
def test_what_it_cannot_dial(base: str) -> None:
    with pytest.raises(ClientRefusal, match="builder error"):
        join(base, "/responses")


@pytest.mark.parametrize(
    ("key", "sent"), [("sk-a\n", ""), ("sk-a\r", ""), (" sk-a ", " sk-a "), ("sk-\ta", "sk-\ta")]
)
def test_a_key_that_cannot_stand_in_a_header_is_dropped(key: str, sent: str) -> None:
    assert prepare_key(key) == sent


@pytest.mark.parametrize(
    "text", ['{\n// a\n"OPENAI_API_KEY": "%s"\n}', '{"OPENAI_API_KEY": "%s",}']
)
def test_a_login_file_that_is_no_json_holds_no_key(tmp_path: Path, text: str) -> None:
    """Codex 0.171.0 sends no Authorization then."""
    seen = found(tmp_path, {AUTH: text % KEY}, {}, "codex")
    assert only(seen).key is None
    assert [problem.path for problem in seen.settings.problems] == [AUTH]
