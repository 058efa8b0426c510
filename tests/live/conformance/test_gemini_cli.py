"""Gemini CLI sends what its module predicts."""

from __future__ import annotations

import pytest

from .case import Case, Program
from .lab import Lab

PROGRAM = Program(
    "gemini-cli",
    ("node_modules/.bin/gemini", "-p", "hi"),
    variables={
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    },
)
BY_KEY = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"disableAutoUpdate": True},
}
SETTINGS = {"~/.gemini/settings.json": BY_KEY}
KEY = "AIza-made-up-0000000000000000000000000"
MODEL = {"GEMINI_MODEL": "gemini-2.5-pro"}
SHELL = {**MODEL, "GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "{base}"}
HOME_ENV = (
    "GEMINI_API_KEY=AIza-made-up-home-000000000000\n"
    "GOOGLE_GEMINI_BASE_URL={base}/home\nGEMINI_MODEL=gemini-2.5-flash\n"
)

CASES = [
    Case("shell", SETTINGS, SHELL),
    Case("env-file-at-home", {**SETTINGS, "~/.gemini/.env": HOME_ENV}),
    Case("shell-over-env-file", {**SETTINGS, "~/.gemini/.env": HOME_ENV}, SHELL),
    Case(
        "project-env-file-hides-home",
        {
            **SETTINGS,
            "~/.gemini/.env": HOME_ENV,
            "./.env": "GOOGLE_GEMINI_BASE_URL={base}/project\n",
        },
        {"GEMINI_API_KEY": KEY, **MODEL},
    ),
    Case(
        "gemini-folder-before-env",
        {
            **SETTINGS,
            "./.env": "GOOGLE_GEMINI_BASE_URL={base}/plain\n",
            "./.gemini/.env": "GOOGLE_GEMINI_BASE_URL={base}/own\n",
        },
        {"GEMINI_API_KEY": KEY, **MODEL},
    ),
    Case(
        "env-file-is-not-expanded",
        {**SETTINGS, "~/.gemini/.env": "GEMINI_MODEL=m${HOME}x\n"},
        {k: v for k, v in SHELL.items() if k != "GEMINI_MODEL"},
    ),
    Case("base-with-version", SETTINGS, {**SHELL, "GOOGLE_GEMINI_BASE_URL": "{base}/v1beta"}),
    Case("base-with-slash", SETTINGS, {**SHELL, "GOOGLE_GEMINI_BASE_URL": "{base}/api/"}),
    Case(
        "base-with-query",
        SETTINGS,
        {**SHELL, "GOOGLE_GEMINI_BASE_URL": "{base}/a?utm=x"},
        unpredicted=frozenset({"model"}),
    ),  # the model is a part of the query
    Case("base-with-blank-ahead", SETTINGS, {**SHELL, "GOOGLE_GEMINI_BASE_URL": " {base}/a"}),
    Case("base-with-line-break", SETTINGS, {**SHELL, "GOOGLE_GEMINI_BASE_URL": "{base}/a\n"}),
    Case(
        "base-without-scheme",
        SETTINGS,
        {**SHELL, "GOOGLE_GEMINI_BASE_URL": "127.0.0.1/v1"},
        no_request=True,
    ),
    Case("key-with-line-break", SETTINGS, {**SHELL, "GEMINI_API_KEY": f" {KEY}\n"}),
    Case("key-not-ascii", SETTINGS, {**SHELL, "GEMINI_API_KEY": f"{KEY}\u200b"}, no_request=True),
    Case("key-as-bearer-too", SETTINGS, {**SHELL, "GEMINI_API_KEY_AUTH_MECHANISM": "bearer"}),
    Case(
        "custom-headers",
        SETTINGS,
        {**SHELL, "GEMINI_CLI_CUSTOM_HEADERS": "X-Own: a, X-Other: b:c,d"},
    ),
    Case(
        "model-of-settings",
        {"~/.gemini/settings.json": {**BY_KEY, "model": {"name": "qwen3:8b"}}},
        {k: v for k, v in SHELL.items() if k != "GEMINI_MODEL"},
        unpredicted=frozenset({"model"}),
    ),  # the recorder takes "8b" for no part of it
    Case(
        "model-of-variable-first",
        {"~/.gemini/settings.json": {**BY_KEY, "model": {"name": "other"}}},
        SHELL,
    ),
    Case(
        "project-settings-first",
        {**SETTINGS, "./.gemini/settings.json": {"model": {"name": "own"}}},
        {k: v for k, v in SHELL.items() if k != "GEMINI_MODEL"},
    ),
    Case(
        "settings-with-comment",
        {
            "~/.gemini/settings.json": (
                '{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
            )
        },
        SHELL,
    ),
    Case("proxy", SETTINGS, {**SHELL, "HTTP_PROXY": "{proxy}"}),
    Case("https-proxy-for-http", SETTINGS, {**SHELL, "HTTPS_PROXY": "{proxy}"}),
    Case("all-proxy-is-unknown", SETTINGS, {**SHELL, "ALL_PROXY": "{dead}"}),
    Case(
        "proxy-and-exception",
        SETTINGS,
        {**SHELL, "HTTP_PROXY": "{dead}", "NO_PROXY": "example.com 127.0.0.1"},
    ),
    Case(
        "empty-exceptions-hide-others",
        SETTINGS,
        {**SHELL, "HTTP_PROXY": "{proxy}", "NO_PROXY": "", "no_proxy": "127.0.0.1"},
    ),
    Case("proxy-of-env-file", {**SETTINGS, "~/.gemini/.env": "HTTP_PROXY={proxy}\n"}, SHELL),
    Case("proxy-without-scheme", SETTINGS, {**SHELL, "HTTP_PROXY": "127.0.0.1:9"}, no_request=True),
    Case(
        "far-over-http",
        SETTINGS,
        {**SHELL, "GOOGLE_GEMINI_BASE_URL": "{far}/x", "HTTP_PROXY": "{proxy}"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gemini_cli_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(PROGRAM, case)


def test_an_empty_variable_hides_the_env_file(lab: Lab) -> None:
    """What the keychain may hold instead is not known, so nothing is predicted of a key."""
    case = Case(
        "key-empty-in-shell",
        {**SETTINGS, "~/.gemini/.env": HOME_ENV},
        {"GEMINI_API_KEY": ""},
        no_request=True,
    )
    scene = lab.scene(case)
    connection, _prediction = lab.predicted(PROGRAM, case, scene)
    outcome = lab.run(PROGRAM, case, scene)

    assert connection.key is None
    assert outcome.request is None
    assert "you must specify the GEMINI_API_KEY" in outcome.printed


def test_a_method_under_its_old_name_counts_for_nothing(lab: Lab) -> None:
    """With the address alone it then refuses to start, as kvdoctor says of the setting."""
    old = {key: value for key, value in BY_KEY.items() if key != "security"}
    case = Case(
        "method-under-its-old-name",
        {"~/.gemini/settings.json": {**old, "selectedAuthType": "gemini-api-key"}},
        SHELL,
        no_request=True,
    )
    outcome = lab.run(PROGRAM, case, lab.scene(case))

    assert outcome.request is None
