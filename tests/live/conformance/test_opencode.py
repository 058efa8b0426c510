"""opencode sends what is predicted. Two to three seconds per case, most of it its start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from .case import Case, Content, Program
from .lab import Lab

PROGRAM = Program(
    "opencode",
    ("node_modules/opencode-linux-*-baseline/bin/opencode",),
    variables={
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    patience=90,
)
KEY, OTHER = "sk-made-up-key-0000000000000000", "sk-made-up-other-00000000000000"
USER, AUTH = "~/.config/opencode/opencode.json", "~/.local/share/opencode/auth.json"
STATE = "~/.local/state/opencode/model.json"
Json = dict[str, Any]


def settings(
    key: str | None = KEY,
    base: str | None = "{base}/v1",
    models: Json | None = None,
    npm: str | None = "@ai-sdk/openai-compatible",
    name: str = "mine",
    **options: Any,
) -> Json:
    options |= {} if base is None else {"baseURL": base}
    options |= {} if key is None else {"apiKey": key}
    provider: Json = {"options": options, "models": {"m": {}} if models is None else models}
    provider |= {} if npm is None else {"npm": npm}
    # The small model writes titles, in a request of its own.
    return {"provider": {name: provider}, "model": f"{name}/m", "small_model": f"{name}/m"}


def overlay(**options: Any) -> Json:
    return {"provider": {"mine": {"options": options}}}


def case(name: str, user: Content, *, files: dict[str, Content] | None = None, **more: Any) -> Case:
    return Case(name, {USER: user, **(files or {})}, argv=("run", "--pure", "hi"), **more)


def limited(**limit: int) -> Json:
    return settings(models={"m": {"limit": {"context": 200_000, **limit}}})


STORED: Content = {"mine": {"type": "api", "key": OTHER}}
CASES = [
    case("key-over-a-login-and-slash", settings(base="{base}/v1/"), files={AUTH: STORED}),
    case("key-and-base-between-blanks", settings(f" {KEY} \n", base=" {base}/v1 ")),
    case("key-of-a-variable", settings("{env:MY_KEY}"), variables={"MY_KEY": KEY}),
    case("variable-unset", settings("{env:MY_KEY}"), files={AUTH: STORED}),
    case(
        "key-and-base-of-files",
        settings("{file:~/key.txt}", "{file:./base.txt}"),
        files={"~/key.txt": f" {KEY}\n", "~/.config/opencode/base.txt": "{base}/v1\n"},
    ),
    case("key-of-a-login", settings(None), files={AUTH: STORED}),
    case(
        "keys-beside-each-other",
        {
            **settings(None),
            "provider": {
                "mine": {**settings(None)["provider"]["mine"], "env": ["MY_KEY"]},
            },
        },
        variables={"MY_KEY": KEY},
    ),
    case("base-with-query", settings(base="{base}/v1?utm=a")),
    case("base-without-scheme", settings(base="127.0.0.1:9/v1"), no_request=True),
    case(
        "a-project-leads-the-users-key-elsewhere",
        settings(),
        files={"./opencode.json": overlay(baseURL="{base}/theirs")},
    ),
    case(
        "inner-folder-and-dot-folder",
        settings(),
        files={
            "./opencode.json": overlay(baseURL="{base}/inner"),
            "~/opencode.json": overlay(baseURL="{base}/outer"),
            "./.opencode/opencode.json": overlay(headers={"X-Team": "a"}),
        },
    ),
    case(
        "the-variables-file-and-text",
        settings(),
        files={"~/mine.json": overlay(baseURL="{base}/file", apiKey=OTHER)},
        variables={
            "OPENCODE_CONFIG": "{home}/mine.json",
            "OPENCODE_CONFIG_CONTENT": '{"provider": {"mine": {"options": {"apiKey": "sk-up"}}}}',
        },
    ),
    case(
        "references-within-a-text",
        settings("a-{env:MY_KEY}", headers={"X-Team": "b-{file:~/team}"}),
        files={"~/team": "c\n"},
        variables={"MY_KEY": KEY},
    ),
    case("limit", limited(output=999)),
    case(
        "another-cap",
        limited(output=64_000),
        variables={"OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX": "50000"},
    ),
    case(
        "name-of-the-model-and-limit-over-the-cap",
        settings(models={"m": {"id": "real/name", "limit": {"context": 99_000, "output": 64_000}}}),
    ),
    case(
        "headers-and-query",
        settings(
            None,
            headers={"Authorization": "Bearer made-up", "X-Team": "a"},
            queryParams={"api-version": "2026-01 a"},
        ),
    ),
    case(
        "model-of-the-agent",
        settings(models={"m": {}, "n": {}}) | {"agent": {"build": {"model": "mine/n"}}},
        awaited=lambda request: request.json.get("model") == "n",
    ),
    case(
        "model-chosen-last",
        {"provider": settings(models={"m": {}, "n": {}})["provider"]},
        files={STATE: {"recent": [{"providerID": "mine", "modelID": "m"}]}},
        awaited=lambda request: request.json.get("model") == "m",
    ),
    case("anthropic-package", settings(npm="@ai-sdk/anthropic")),
    case(
        "anthropic-itself",
        settings(None, None, npm=None, name="anthropic"),
        files={AUTH: {"anthropic": {"type": "api", "key": OTHER}}},
        variables={"ANTHROPIC_BASE_URL": "{base}/v1", "ANTHROPIC_API_KEY": KEY},
    ),
    case("openai-package", settings(npm="@ai-sdk/openai")),
    case("proxy", settings(base="{far}/v1"), variables={"HTTP_PROXY": "{proxy}"}),
    case(
        "dead-proxy-for-everything-else",
        settings(),
        variables={"ALL_PROXY": "{dead}", "HTTPS_PROXY": "{dead}"},
    ),
    case("dead-proxy", settings(), variables={"http_proxy": "{dead}"}, no_request=True),
    case(
        "range-is-no-exception",
        settings(),
        variables={"HTTP_PROXY": "{proxy}", "NO_PROXY": "127.0.0.0/8, localhost"},
    ),
    case(
        "exception-behind-another",
        settings(),
        variables={"HTTP_PROXY": "{dead}", "NO_PROXY": "gateway.invalid, 0.0.1"},
    ),
]
# As it comes, with the plugins that use logins.
WITH_PLUGINS = replace(
    PROGRAM, variables={n: v for n, v in PROGRAM.variables.items() if "PLUGINS" not in n}
)
OAUTH = {
    "type": "oauth",
    "refresh": "sk-made-up-refresh-0000000000",
    "access": "sk-made-up-access-00000000000",
    "expires": 4102444800000,
}


def logged_in(name: str, provider: str, **more: Any) -> Case:
    own = settings(npm=None, name=provider)
    return Case(name, {USER: own, AUTH: {provider: OAUTH}}, argv=("run", "hi"), **more)


LOGINS = [
    logged_in("a-login-of-anthropic-is-passed-over", "anthropic"),
    logged_in("a-login-of-nobody-known-is-passed-over", "mine"),
    logged_in(
        "a-chatgpt-login-takes-the-place-of-address-and-key",
        "openai",
        variables={"HTTPS_PROXY": "{proxy}"},
        awaited=lambda request: request.method == "CONNECT" and "chatgpt" in request.target,
    ),
    logged_in(
        "a-copilot-login-takes-the-place-of-the-key",
        "github-copilot",
        expects_headers={"authorization": f"Bearer {OAUTH['refresh']}"},
    ),
]
REFUSED = [
    case("limit-without-output", limited()),
    case("number-for-a-text", settings(base=None, baseURL=1)),
    case("model-not-listed", settings(models={"other": {}})),
    case("provider-switched-off", settings() | {"disabled_providers": ["mine"]}),
]
STRAYS = (
    "~/.local/share/opencode/opencode.json",
    "~/.opencode.json",
    "~/.config/opencode.json",
    "~/.opencode/config.json",
    "./.opencode.json",
)
UNREAD = [
    case("file-cut-short", '{"model": "mine/m"'),
    case("project-file-cut-short", settings(), files={"./opencode.json": '{"model": '}),
    case("key-file-missing", settings("{file:./missing.txt}")),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_opencode_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(PROGRAM, case)


@pytest.mark.parametrize("case", LOGINS, ids=str)
def test_a_login_is_used_or_passed_over_as_predicted(case: Case, lab: Lab) -> None:
    lab.agree(WITH_PLUGINS, case)


@pytest.mark.parametrize("place", STRAYS)
def test_a_file_that_is_said_not_to_be_read_is_not(place: str, lab: Lab) -> None:
    case = Case("stray", {place: settings()}, argv=("run", "--pure", "hi"), no_request=True)
    assert [one for one in lab.settings(PROGRAM, case).unsupported if one.whole]
    assert lab.run(PROGRAM, case).request is None


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_it_asks_nothing_with_what_is_said_to_be_refused(case: Case, lab: Lab) -> None:
    assert [one for one in lab.settings(PROGRAM, case).unsupported if one.fatal]
    assert lab.run(PROGRAM, case).request is None


@pytest.mark.parametrize("case", UNREAD, ids=str)
def test_it_does_not_start_with_a_file_that_is_said_to_be_unreadable(case: Case, lab: Lab) -> None:
    assert [problem.client for problem in lab.settings(PROGRAM, case).problems] == ["opencode"]
    assert lab.run(PROGRAM, case).request is None
