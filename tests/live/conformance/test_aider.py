"""Aider sends what its module predicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from .case import Case, Program
from .lab import Lab

PROGRAM = Program(
    "aider",
    (
        "env/bin/aider",
        *("--yes-always", "--no-check-update", "--no-show-model-warnings", "--no-stream"),
        *("--analytics-disable", "--no-show-release-notes", "--no-gitignore", "--message", "hi"),
    ),
    variables={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
)
KEY = "sk-made-up-000000000000000000"
SHELL = {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": "{base}/v1", "AIDER_MODEL": "openai/tiny"}
WITHOUT_MODEL = {name: value for name, value in SHELL.items() if name != "AIDER_MODEL"}
ENV_FILE = "OPENAI_API_KEY=sk-made-up-file-00000000000000\nOPENAI_API_BASE={base}/file/v1\n"
CONF = (
    "model: openai/of-conf\nopenai-api-key: sk-made-up-conf-0000000000000\n"
    "openai-api-base: {base}/conf/v1\n"
)
# As much of a repository as git looks for.
REPOSITORY = {
    "~/repo/.git/HEAD": "ref: refs/heads/main\n",
    "~/repo/.git/objects/info/keep": "",
    "~/repo/.git/refs/heads/keep": "",
    "~/repo/.git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
}
# It fetches this list over https where it is missing, and so asks the proxy for another host.
PRICES = {"~/.aider/caches/model_prices_and_context_window.json": '{"none": {}}'}
ANTHROPIC_KEY = {"ANTHROPIC_API_KEY": "sk-ant-made-up-0000000000000"}


def model_settings(name: str = "openai/tiny", **extra: Any) -> dict[str, Any]:
    return {"./.aider.model.settings.yml": [{"name": name, "extra_params": extra}]}  # JSON is YAML


CASES = [
    Case("shell", variables=SHELL),
    Case("conf-alone", {"~/.aider.conf.yml": CONF}),
    Case("conf-over-shell", {"~/.aider.conf.yml": CONF}, WITHOUT_MODEL),
    Case(
        "base-url-of-shell-over-conf",
        {"~/.aider.conf.yml": CONF},
        {"OPENAI_BASE_URL": "{base}/sdk/v1"},
    ),
    Case("env-file-over-shell", {"./.env": ENV_FILE}, SHELL),
    Case(
        "near-env-file-over-home",
        {"~/.env": ENV_FILE, "./.env": "OPENAI_API_BASE={base}/near/v1\n"},
        {"AIDER_MODEL": "openai/tiny"},
    ),
    Case(
        "near-conf-over-home",
        {"~/.aider.conf.yml": CONF, "./.aider.conf.yml": "openai-api-base: {base}/near/v1\n"},
    ),
    Case(
        "variable-over-conf",
        {"~/.aider.conf.yml": CONF},
        {"AIDER_MODEL": "openai/of-variable", "AIDER_OPENAI_API_BASE": "{base}/variable/v1"},
    ),
    Case(
        "env-file-of-conf",
        {
            "~/.aider.conf.yml": "env-file: other.env\nmodel: openai/tiny\n",
            "./other.env": ENV_FILE,
            "./.env": "OPENAI_API_BASE={base}/near/v1\n",
        },
    ),
    Case(
        "env-file-of-the-root-wins",
        {
            **REPOSITORY,
            "~/repo/.env": ENV_FILE,
            "~/repo/sub/.env": "OPENAI_API_BASE={base}/near/v1\n",
        },
        SHELL,
        cwd="repo/sub",
    ),
    Case(
        "lists-of-conf",
        {
            "~/.aider.conf.yml": "model: openai/tiny\nset-env:\n  - OPENAI_API_BASE={base}/set/v1\n"
            "api-key:\n  - openai=sk-made-up-list-00000000000\n"
        },
    ),
    Case(
        "alias-of-conf",
        {"~/.aider.conf.yml": "alias:\n  - fast:openai/tiny\nmodel: fast\n"},
        WITHOUT_MODEL,
    ),
    Case("model-with-slash", variables={**SHELL, "AIDER_MODEL": "openai/Qwen/Qwen3-8B"}),
    Case("known-name", variables={**SHELL, "AIDER_MODEL": "gpt-4o"}),
    Case("no-model", variables=WITHOUT_MODEL),
    Case(
        "own-settings-of-the-model",
        model_settings(max_tokens=777, extra_headers={"X-Own": "a"}),
        SHELL,
    ),
    Case(
        "address-with-the-model",
        model_settings(api_base="{base}/model/v1", api_key="sk-made-up-model-0000000"),
        SHELL,
    ),
    Case("base-without-version", variables={**SHELL, "OPENAI_API_BASE": "{base}"}),
    Case("base-with-slash", variables={**SHELL, "OPENAI_API_BASE": "{base}/v1/"}),
    Case("base-with-query", variables={**SHELL, "OPENAI_API_BASE": "{base}/v1?utm=x"}),
    Case("base-with-blank", variables={**SHELL, "OPENAI_API_BASE": " {base}/v1"}, no_request=True),
    Case("key-with-line-break", variables={**SHELL, "OPENAI_API_KEY": f"{KEY}\n"}, no_request=True),
    Case(
        "anthropic",
        variables={
            **ANTHROPIC_KEY,
            "ANTHROPIC_BASE_URL": "{base}",
            "AIDER_MODEL": "anthropic/claude-x",
        },
        unpredicted=frozenset({"max_tokens"}),
    ),  # litellm's own number of each model
    Case(
        "anthropic-base-with-slash",
        variables={
            **ANTHROPIC_KEY,
            "ANTHROPIC_API_BASE": "{base}/a/",
            "ANTHROPIC_BASE_URL": "{base}/b",
            "AIDER_MODEL": "claude-sonnet-4-5",
        },
        unpredicted=frozenset({"max_tokens"}),
    ),
    Case(
        "vllm-without-key",
        variables={"HOSTED_VLLM_API_BASE": "{base}/v1", "AIDER_MODEL": "hosted_vllm/tiny"},
    ),
    Case(
        "deepseek",
        variables={
            "DEEPSEEK_API_BASE": "{base}/v1",
            "DEEPSEEK_API_KEY": KEY,
            "AIDER_MODEL": "deepseek/deepseek-chat",
        },
        unpredicted=frozenset({"max_tokens"}),
    ),  # Aider's own number of this model
    Case(
        "openrouter",
        variables={
            "OPENROUTER_API_BASE": "{base}/api/v1",
            "OPENROUTER_API_KEY": KEY,
            "AIDER_MODEL": "openrouter/deepseek/deepseek-chat",
        },
    ),
    Case("proxy", variables={**SHELL, "HTTP_PROXY": "{proxy}"}),
    Case("all-proxy", variables={**SHELL, "ALL_PROXY": "{proxy}"}),
    Case("proxy-of-env-file", {"./.env": "HTTP_PROXY={proxy}\n"}, SHELL),
    Case("exception", variables={**SHELL, "HTTP_PROXY": "{dead}", "NO_PROXY": "127.0.0.1"}),
    Case(
        "network-is-no-exception",
        variables={**SHELL, "HTTP_PROXY": "{proxy}", "NO_PROXY": "127.0.0.0/8"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_aider_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(PROGRAM, replace(case, files={**PRICES, **case.files}))


def test_a_name_without_protocol_is_refused(lab: Lab) -> None:
    case = Case("bare-name", PRICES, {**SHELL, "AIDER_MODEL": "tiny"}, no_request=True)
    outcome = lab.run(PROGRAM, case, lab.scene(case))

    assert outcome.request is None
