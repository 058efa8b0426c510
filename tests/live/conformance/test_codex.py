"""Codex sends what is predicted. One request per case; about a second each."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from .case import Case, Content, Program
from .lab import Lab

# Codex 0.171 makes no helper programs below a temporary folder, and says so; nothing else changes.
PROGRAM = Program("codex", ("node_modules/.bin/codex",), variables={"RUST_LOG": "off"})
EXEC = ("exec", "--skip-git-repo-check", "hi")
KEY, OTHER = "sk-made-up-key-0000000000000000", "sk-made-up-other-00000000000000"
CONFIG, AUTH, DOTENV = "~/.codex/config.toml", "~/.codex/auth.json", "~/.codex/.env"
TRUST = '[projects."{cwd}"]\ntrust_level = "trusted"\n'
NONE = {"authorization": None}


def provider(*lines: str, base: str = "{base}/v1", top: str = "", end: str = "") -> str:
    head = f'model = "qwen3-8b"\nmodel_provider = "mine"\n{top}'
    table = f'[model_providers.mine]\nname = "Mine"\nbase_url = "{base}"\n'
    return head + table + "".join(f"{line}\n" for line in lines) + end


def token(text: str = KEY) -> str:
    return f"experimental_bearer_token = {json.dumps(text)}"


def _part(claims: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


# Never expires, so that Codex does not try to renew it.
_CLAIMS = {
    "exp": 4102444800,
    "https://api.openai.com/auth": {"chatgpt_plan_type": "plus", "chatgpt_account_id": "made-up"},
}
_JWT = f"{_part({'alg': 'none'})}.{_part(_CLAIMS)}.made-up"
API_KEY_LOGIN: Content = {"auth_mode": "apikey", "OPENAI_API_KEY": OTHER}
CHATGPT_LOGIN: Content = {
    "auth_mode": "chatgpt",
    "OPENAI_API_KEY": None,
    "tokens": {
        "id_token": _JWT,
        "access_token": _JWT,
        "refresh_token": "made-up",
        "account_id": "made-up",
    },
    "last_refresh": "2026-11-29T00:00:00Z",
}


def case(name: str, config: str, *, login: Content | None = None, **more: Any) -> Case:
    files: dict[str, Content] = {CONFIG: config}
    if login is not None:
        files[AUTH] = login
    files |= more.pop("files", {})
    return Case(name, files, argv=more.pop("argv", EXEC), **more)


def with_env_key(name: str, **more: Any) -> Case:
    return case(name, provider('env_key = "GATEWAY_KEY"'), **more)


def keyed(name: str, value: str, **more: Any) -> Case:
    return with_env_key(name, variables={"GATEWAY_KEY": value}, **more)


def logged_in(name: str, login: Content | None, **more: Any) -> Case:
    return case(name, provider("requires_openai_auth = true"), login=login, **more)


def based(name: str, base: str, *lines: str) -> Case:
    return case(name, provider(token(), *lines, base=base))


def proxied(name: str, **variables: str) -> Case:
    return case(name, provider(token()), variables=variables)


CASES = [
    keyed("key-of-a-variable", KEY),
    keyed("key-ends-in-a-newline", KEY + "\n", expects_headers=NONE),
    keyed("key-between-blanks", f" {KEY} "),
    case(
        "variable-of-its-own-env-file-wins",
        provider('env_key = "GATEWAY_KEY"'),
        files={DOTENV: f"GATEWAY_KEY={OTHER}\n"},
        variables={"GATEWAY_KEY": KEY},
        expects_headers={"authorization": f"Bearer {OTHER}"},
    ),
    case("token-in-the-file", provider(token())),
    keyed("token-and-variable", KEY),
    case(
        "no-key-named",
        provider(),
        login=API_KEY_LOGIN,
        variables={"OPENAI_API_KEY": KEY, "CODEX_API_KEY": KEY},
        expects_headers=NONE,
    ),
    logged_in("key-of-a-login", API_KEY_LOGIN),
    logged_in("key-of-a-variable-over-a-login", API_KEY_LOGIN, variables={"CODEX_API_KEY": KEY}),
    logged_in("only-the-sdks-variable", None, variables={"OPENAI_API_KEY": KEY}),
    logged_in(
        "chatgpt-login-goes-to-the-gateway",
        CHATGPT_LOGIN,
        expects_headers={"authorization": f"Bearer {_JWT}"},
    ),
    case("chatgpt-login-not-asked-for", provider(token()), login=CHATGPT_LOGIN),
    case(
        "login-kept-in-a-keyring",
        provider(
            token(), "requires_openai_auth = true", top='cli_auth_credentials_store="keyring"\n'
        ),
        login=API_KEY_LOGIN,
    ),
    case(
        "openai-base-url",
        'model = "qwen3-8b"\nopenai_base_url = "{base}/o/v1"\n',
        login=API_KEY_LOGIN,
        variables={"OPENAI_BASE_URL": "{base}/ignored"},
    ),
    case(
        "ollama",
        'model = "m"\nmodel_provider = "ollama"\n',
        variables={"CODEX_OSS_BASE_URL": "{base}/v1"},
    ),
    based("base-with-slash", "{base}/v1/"),
    based("base-without-version", "{base}"),
    based("base-with-the-path", "{base}/v1/responses"),
    based("base-with-blanks", " {base}/v1 "),
    based("base-with-query", "{base}/v1?utm=a"),
    case("base-without-scheme", provider(token(), base="127.0.0.1:9/v1"), no_request=True),
    based("query-of-its-own", "{base}/v1", 'query_params = { api-version = "2026-01 a" }'),
    case(
        "headers-of-its-own",
        provider(
            'http_headers = { x-api-key = "sk-made-up-x", X-Team = "a" }',
            'env_http_headers = { X-Team = "TEAM", X-None = "NOT_SET", Authorization = "HEADER" }',
        ),
        variables={"TEAM": "b", "HEADER": "Basic made-up"},
    ),
    case(
        "a-key-wins-over-a-header",
        provider(token(), 'http_headers = { Authorization = "Bearer sk-made-up-header" }'),
    ),
    case(
        "a-trusted-project-chooses-the-model",
        provider(token(), end=TRUST),
        files={
            "./.codex/config.toml": 'model = "theirs"\nmodel_provider = "other"\n'
            '[model_providers.mine]\nbase_url = "{base}/theirs"\n'
        },
    ),
    case(
        "another-project-does-not",
        provider(token()),
        files={"./.codex/config.toml": 'model = "theirs"\n'},
    ),
    proxied("proxy", HTTP_PROXY="{proxy}"),
    case("dead-proxy", provider(token()), variables={"HTTP_PROXY": "{dead}"}, no_request=True),
    proxied("dead-proxy-and-exception", HTTP_PROXY="{dead}", NO_PROXY="localhost,127.0.0.1"),
    proxied("dead-proxy-and-range", ALL_PROXY="{dead}", NO_PROXY="127.0.0.0/8"),
    proxied("exception-with-port", HTTP_PROXY="{proxy}", NO_PROXY="127.0.0.1:1"),
    case("proxy-in-its-env-file", provider(token()), files={DOTENV: "HTTP_PROXY={proxy}\n"}),
]
REFUSED = [
    case("wire-api-chat", provider(token(), 'wire_api = "chat"')),
    case("profile", provider(token(), top='profile = "work"\n')),
    case("provider-of-its-own", provider(token(), end='[model_providers.openai]\nname = "a"\n')),
    case("unknown-provider", 'model_provider = "mine"\n'),
    case("provider-without-a-name", provider(token()).replace('name = "Mine"\n', "")),
    case("number-for-a-text", provider(token(), base="").replace('base_url = ""', "base_url = 1")),
    case(
        "both-ways-to-a-key", provider('env_key = "K"', '[model_providers.mine.auth]\ncommand="a"')
    ),
    case("folder-missing", "", variables={"CODEX_HOME": "{home}/missing"}),
]
UNREAD = [
    case("file-cut-short", 'model = "a\n'),
    case("project-file-cut-short", provider(end=TRUST), files={"./.codex/config.toml": "a = ["}),
]
NO_KEY = [
    with_env_key("variable-unset"),
    keyed("variable-blank", "  "),
    with_env_key("nothing-else-is-tried", login=API_KEY_LOGIN, variables={"CODEX_API_KEY": KEY}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_codex_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(PROGRAM, case)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_it_does_not_start_with_what_is_said_to_be_refused(case: Case, lab: Lab) -> None:
    found = lab.settings(PROGRAM, case)
    assert [one for one in found.unsupported if one.fatal]
    assert lab.run(PROGRAM, case).request is None


@pytest.mark.parametrize("case", UNREAD, ids=str)
def test_it_does_not_start_with_a_file_that_is_said_to_be_unreadable(case: Case, lab: Lab) -> None:
    found = lab.settings(PROGRAM, case)
    assert [problem.client for problem in found.problems] == ["codex"]
    assert lab.run(PROGRAM, case).request is None


@pytest.mark.parametrize("case", NO_KEY, ids=str)
def test_it_does_not_start_without_the_variable_that_it_was_told(case: Case, lab: Lab) -> None:
    connection, _prediction = lab.predicted(PROGRAM, case, lab.scene(case))
    assert connection.key is None
    outcome = lab.run(PROGRAM, case)
    assert outcome.request is None
    assert "Missing environment variable: `GATEWAY_KEY`" in outcome.printed
