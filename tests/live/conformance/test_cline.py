"""The Cline CLI sends what is predicted. Two to four seconds per case."""

from __future__ import annotations

from typing import Any

import pytest

from .case import Case, Content, Program
from .lab import Lab
from .recorder import Recorded

PROGRAM = Program(
    "cline",
    ("node_modules/@cline/cli-linux-*/bin/cline",),
    variables={"CLINE_GLOBAL_SETTINGS_PATH": "{home}/quiet.json"},
    patience=90,
)
KEY, OTHER = "sk-made-up-key-0000000000000000", "sk-made-up-other-00000000000000"
FILE = "~/.cline/data/settings/providers.json"
QUIET = "~/quiet.json"
STATE, SECRETS = "~/.cline/data/globalState.json", "~/.cline/data/secrets.json"


def asked(request: Recorded) -> bool:
    """Its own reports go out at the same time."""
    paths = ("/chat/completions", "/responses", "/messages", ":streamGenerateContent")
    return request.method == "POST" and any(path in request.target for path in paths)


def settings(provider: str = "openai-compatible", **more: Any) -> Content:
    base = "{base}/v1"
    values = {"provider": provider, "apiKey": KEY, "model": "m", "baseUrl": base, **more}
    entry = {
        "settings": {name: value for name, value in values.items() if value is not None},
        "updatedAt": "2026-11-29T00:00:00.000Z",
        "tokenSource": "manual",
    }
    head = {"version": 1, "lastUsedProvider": provider, "modes": {}}
    return {**head, "providers": {provider: entry}}


def case(name: str, content: Content, **more: Any) -> Case:
    files: dict[str, Content] = {QUIET: {"telemetryOptOut": True, "autoUpdateEnabled": False}}
    files |= more.pop("files", {FILE: content})
    return Case(name, files, argv=("--json", "say hi"), awaited=asked, **more)


def legacy(name: str, provider: str, **state: str) -> Case:
    kept = {"actModeApiProvider": provider, "planModeApiProvider": provider, **state}
    keys = {"openAiApiKey": KEY, "apiKey": OTHER, "geminiApiKey": KEY}
    files = {STATE: kept, SECRETS: keys}
    return case(name, {}, files=files)


CASES = [
    case("openai-compatible", settings()),
    case("key-over-the-variable", settings(), variables={"OPENAI_API_KEY": OTHER}),
    case("no-key", settings(apiKey=None)),
    case("key-of-the-variable", settings(apiKey=None), variables={"OPENAI_API_KEY": OTHER}),
    case("blank-key", settings(apiKey="  "), variables={"OPENAI_API_KEY": OTHER}),
    case("key-between-blanks", settings(apiKey=f" {KEY}\n")),
    case("base-with-slash", settings(baseUrl="{base}/v1/")),
    case("base-without-version", settings(baseUrl="{base}")),
    case("base-between-blanks", settings(baseUrl=" {base}/v1 ")),
    case("base-with-query", settings(baseUrl="{base}/v1?utm=a")),
    case("base-without-scheme", settings(baseUrl="127.0.0.1:9/v1"), no_request=True),
    case("headers", settings(headers={"X-Team": "a", "Authorization": "Bearer made-up"})),
    case("anthropic", settings("anthropic"), variables={"ANTHROPIC_BASE_URL": "{base}/other"}),
    case("anthropic-without-version", settings("anthropic", baseUrl="{base}")),
    case(
        "anthropic-key-of-the-variable",
        settings("anthropic", apiKey=None),
        variables={"ANTHROPIC_API_KEY": OTHER, "ANTHROPIC_AUTH_TOKEN": KEY},
    ),
    case("openai-native", settings("openai-native"), variables={"OPENAI_BASE_URL": "{base}/other"}),
    case("deepseek", settings("deepseek")),
    case("gemini", settings("gemini", baseUrl="{base}/x")),
    case("gemini-with-version", settings("gemini", baseUrl="{base}/v1beta/")),
    case(
        "gemini-with-another-version-and-key-of-the-variable",
        settings("gemini", apiKey=None),
        variables={"GEMINI_API_KEY": OTHER},
    ),
    legacy("legacy-gemini", "gemini", geminiBaseUrl="{base}", actModeApiModelId="m"),
    case(
        "token-of-a-login",
        settings(apiKey=None, auth={"accessToken": "made-up-token", "refreshToken": "made-up"}),
        expects_headers={"authorization": "Bearer made-up-token"},
    ),
    case(
        "another-folder",
        {},
        files={"~/c/data/settings/providers.json": settings()},
        variables={"CLINE_DIR": "{home}/c"},
    ),
    case(
        "another-file",
        {},
        files={"~/p.json": settings(), FILE: settings("anthropic")},
        variables={"CLINE_PROVIDER_SETTINGS_PATH": "{home}/p.json"},
    ),
    legacy("legacy-openai", "openai", openAiBaseUrl="{base}/v1", actModeOpenAiModelId="m"),
    legacy("legacy-anthropic", "anthropic", anthropicBaseUrl="{base}", actModeApiModelId="m"),
    case("proxy", settings(baseUrl="{far}/v1"), variables={"HTTP_PROXY": "{proxy}"}),
    case("dead-proxy", settings(), variables={"HTTP_PROXY": "{dead}"}, no_request=True),
    case("all-proxy-is-unknown", settings(), variables={"ALL_PROXY": "{dead}"}),
    case(
        "exception",
        settings(),
        variables={"HTTP_PROXY": "{dead}", "NO_PROXY": "localhost, 127.0.0.1"},
    ),
]
PASSED_OVER = [
    case("comment", "// a\n{}"),
    case("cut-short", '{"version": 1'),
    case("number-for-a-text", settings(model=5)),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_cline_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(PROGRAM, case)


@pytest.mark.parametrize("case", PASSED_OVER, ids=str)
def test_it_passes_over_a_file_that_is_said_to_be_unreadable(case: Case, lab: Lab) -> None:
    assert [problem.client for problem in lab.settings(PROGRAM, case).problems] == ["cline"]
    assert lab.run(PROGRAM, Case(**{**vars(case), "no_request": True})).request is None
