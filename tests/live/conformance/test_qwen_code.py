"""Qwen Code sends what its module predicts."""

from __future__ import annotations

from typing import Any

import pytest

from .case import Case, Program
from .lab import Lab

PROGRAM = Program(
    "qwen-code",
    ("node_modules/.bin/qwen", "-p", "hi"),
    variables={"QWEN_TELEMETRY_ENABLED": "false"},
)
KEY = "sk-made-up-000000000000000000"
SHELL = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "{base}/v1", "OPENAI_MODEL": "tiny"}
WITHOUT_MODEL = {name: value for name, value in SHELL.items() if name != "OPENAI_MODEL"}
ENV = {
    "OPENAI_API_KEY": "sk-made-up-settings-0000000000",
    "OPENAI_BASE_URL": "{base}/settings/v1",
    "OPENAI_MODEL": "of-settings",
}
ENV_FILE = (
    "OPENAI_API_KEY=sk-made-up-file-00000000000000\n"
    "OPENAI_BASE_URL={base}/file/v1\nOPENAI_MODEL=of-file\n"
)
OWN_KEY = {"MY_KEY": "sk-made-up-own-000000000000000"}


def settings(method: str = "openai", **more: Any) -> dict[str, Any]:
    security = {"auth": {"selectedType": method, **more.pop("auth", {})}}
    own = {"security": security, "privacy": {"usageStatisticsEnabled": False}, **more}
    return {"~/.qwen/settings.json": own}


def listed(method: str = "openai", base: str = "{base}/own/v1", **more: Any) -> dict[str, Any]:
    return {method: [{"id": "listed", "envKey": "MY_KEY", "baseUrl": base, **more}]}


NAMED = {"name": "listed"}
CASES = [
    Case("shell-alone", variables=SHELL),
    Case("settings-env", settings(env=ENV)),
    Case("shell-over-settings-env", settings(env=ENV), SHELL),
    Case("env-file-over-settings-env", {**settings(env=ENV), "~/.qwen/.env": ENV_FILE}),
    Case("empty-shell-counts-as-unset", settings(env=ENV), {"OPENAI_API_KEY": ""}),
    Case(
        "project-env-file-before-home",
        {**settings(), "~/.qwen/.env": ENV_FILE, "./.env": "OPENAI_BASE_URL={base}/near/v1\n"},
    ),
    Case(
        "project-settings-redirect",
        {**settings(env=ENV), "./.qwen/settings.json": {"env": {"OPENAI_BASE_URL": "{base}/p/v1"}}},
    ),
    Case(
        "key-and-base-of-security",
        settings(auth={"apiKey": KEY, "baseUrl": "{base}/auth/v1"}, model={"name": "tiny"}),
    ),
    Case(
        "model-of-settings-over-variable",
        settings(auth={"apiKey": "sk-made-up-loses-0000000"}, model={"name": "named"}),
        SHELL,
    ),
    Case("listed-model", settings(modelProviders=listed(), model=NAMED), OWN_KEY),
    Case(
        "listed-model-over-shell",
        settings(modelProviders=listed(), model=NAMED),
        {**SHELL, **OWN_KEY},
    ),
    Case("listed-first-where-none-is-named", settings(modelProviders=listed()), OWN_KEY),
    Case(
        "listed-key-unset-falls-back",
        settings(modelProviders=listed(), model=NAMED),
        {"OPENAI_API_KEY": KEY},
    ),
    Case(
        "listed-with-budget",
        settings(
            modelProviders=listed(
                generationConfig={
                    "samplingParams": {"max_tokens": 777},
                    "customHeaders": {"X-Own": "a"},
                }
            ),
            model=NAMED,
        ),
        OWN_KEY,
    ),
    Case(
        "listed-small-window",
        settings(modelProviders=listed(generationConfig={"contextWindowSize": 8192}), model=NAMED),
        OWN_KEY,
    ),
    Case(
        "budget-of-the-model",
        settings(model={"generationConfig": {"samplingParams": {"max_tokens": 555}}}),
        SHELL,
    ),
    Case("budget-of-variable", settings(), {**SHELL, "QWEN_CODE_MAX_OUTPUT_TOKENS": "5000"}),
    Case("known-model-large", settings(), {**SHELL, "OPENAI_MODEL": "gpt-5-mini"}),
    Case("known-model-small", settings(), {**SHELL, "OPENAI_MODEL": "Qwen/Qwen3-8B"}),
    Case("dated-model", settings(), {**SHELL, "OPENAI_MODEL": "deepseek-r1-0528"}),
    Case("no-model", settings(), WITHOUT_MODEL),
    Case("base-without-version", settings(), {**SHELL, "OPENAI_BASE_URL": "{base}"}),
    Case("base-with-slash", settings(), {**SHELL, "OPENAI_BASE_URL": "{base}/v1/"}),
    Case("base-with-query", settings(), {**SHELL, "OPENAI_BASE_URL": "{base}/v1?utm=x"}),
    Case("base-with-blanks", settings(), {**SHELL, "OPENAI_BASE_URL": " {base}/v1 "}),
    Case("base-with-line-break", settings(), {**SHELL, "OPENAI_BASE_URL": "{base}/v1\n"}),
    Case("key-with-line-break", settings(), {**SHELL, "OPENAI_API_KEY": f" {KEY}\n"}),
    Case(
        "anthropic",
        settings("anthropic", modelProviders=listed("anthropic", "{base}/a"), model=NAMED),
        OWN_KEY,
    ),
    Case(
        "anthropic-of-shell",
        settings("anthropic"),
        {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "{base}", "ANTHROPIC_MODEL": "am"},
    ),
    Case(
        "gemini",
        settings("gemini", modelProviders=listed("gemini", "{base}/g"), model=NAMED),
        OWN_KEY,
    ),
    Case("qwen-login-has-ended", settings("qwen-oauth"), no_request=True),
    Case("proxy", settings(), {**SHELL, "HTTP_PROXY": "{proxy}"}),
    Case(
        "proxy-without-scheme", settings(), {**SHELL, "HTTPS_PROXY": "127.0.0.1:9"}, no_request=True
    ),
    Case("proxy-of-settings", settings(proxy="{proxy}"), SHELL),
    Case("proxy-of-settings-env", settings(env={"HTTP_PROXY": "{proxy}"}), SHELL),
    Case("all-proxy-is-unknown", settings(), {**SHELL, "ALL_PROXY": "{dead}"}),
    Case("exception", settings(), {**SHELL, "HTTP_PROXY": "{dead}", "NO_PROXY": "127.0.0.1"}),
    Case(
        "empty-exceptions-hide-others",
        settings(),
        {**SHELL, "HTTP_PROXY": "{proxy}", "no_proxy": "", "NO_PROXY": "127.0.0.1"},
    ),
    Case("socks", settings(), {**SHELL, "HTTP_PROXY": "socks5://127.0.0.1:9"}, no_request=True),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_qwen_code_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    if case.name == "qwen-login-has-ended":
        assert lab.run(PROGRAM, case, lab.scene(case)).request is None
        return
    lab.agree(PROGRAM, case)
