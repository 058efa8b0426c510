"""Real Claude Code against the recorder: what it sends is what kvdoctor predicts."""

from __future__ import annotations

import time
from typing import Any

import pytest

from .case import Case, Content, Program
from .lab import Lab
from .recorder import Recorded

PROGRAM = Program(
    "claude-code",
    ("node_modules/@anthropic-ai/claude-code-*/claude",),
    variables={
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    },
)
USER, STATE = "~/.claude/settings.json", "~/.claude.json"
PROJECT, LOCAL = "./.claude/settings.json", "./.claude/settings.local.json"
LOGIN = "~/.claude/.credentials.json"

BASE = {"ANTHROPIC_BASE_URL": "{base}"}
TOKEN = {"ANTHROPIC_AUTH_TOKEN": "sk-made-up-token-0000"}
KEY = {"ANTHROPIC_API_KEY": "sk-made-up-key-000000"}
MODEL = {"ANTHROPIC_MODEL": "tiny"}
OAUTH = {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-made-up-0000"}
HELPER = {"apiKeyHelper": "echo sk-made-up-helper"}
PRIMARY: dict[str, Any] = {"primaryApiKey": "sk-made-up-primary-00"}
# A login refreshes its token at its vendor; nothing leaves the machine in a test.
STAYS = {"HTTPS_PROXY": "{dead}", "NO_PROXY": "127.0.0.1"}
USUAL = {**BASE, **TOKEN, **MODEL}


def login(**more: Any) -> dict[str, Any]:
    """A stored claude.ai login, made up, that is good for a day."""
    expires = int(time.time() * 1000) + 86_400_000
    entry = {"accessToken": "sk-ant-oat01-made-up-1111", "refreshToken": "sk-ant-ort01-made-up"}
    scopes = ["user:inference", "user:profile"]
    return {"claudeAiOauth": {**entry, "expiresAt": expires, "scopes": scopes, **more}}


def env(**variables: Any) -> dict[str, Any]:
    return {"env": variables}


def case(
    name: str,
    variables: dict[str, str],
    files: dict[str, Content] | None = None,
    **more: Any,
) -> Case:
    return Case(name, files=files or {}, variables=variables, argv=("-p", "hi"), **more)


def at(name: str, base: str, **more: Any) -> Case:
    return case(f"base-{name}", {**USUAL, "ANTHROPIC_BASE_URL": base}, **more)


def keyed(name: str, key: str, **more: Any) -> Case:
    return case(f"key-{name}", {**USUAL, "ANTHROPIC_AUTH_TOKEN": key}, **more)


def asks(name: str, model: str, **variables: str) -> Case:
    return case(f"model-{name}", {**USUAL, "ANTHROPIC_MODEL": model, **variables})


def allows(name: str, value: str, model: str = "tiny") -> Case:
    more = {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": value, "ANTHROPIC_MODEL": model}
    return case(f"max-tokens-{name}", {**USUAL, **more})


def through(name: str, files: dict[str, Content] | None = None, **variables: str) -> Case:
    base = {"ANTHROPIC_BASE_URL": variables.pop("base", "{base}")}
    refused = bool(variables.pop("refused", ""))
    return case(f"proxy-{name}", {**USUAL, **base, **variables}, files, no_request=refused)


def anything(request: Recorded) -> bool:
    """A query that swallows the path leaves no path to know the request by."""
    return request.method == "POST"


AUTH = [
    case("token", {**BASE, **MODEL, **TOKEN}),
    case("api-key", {**BASE, **MODEL, **KEY}),
    case("both", {**BASE, **MODEL, **TOKEN, **KEY}),
    case("nothing", {**BASE, **MODEL}, no_request=True),
    case("helper", {**BASE, **MODEL}, {USER: HELPER}),
    case("helper-and-token", {**BASE, **MODEL, **TOKEN}, {USER: HELPER}),
    case("helper-and-api-key", {**BASE, **MODEL, **KEY}, {USER: HELPER}),
    case("helper-of-project", {**BASE, **MODEL}, {PROJECT: HELPER}),
    case("helper-and-oauth-variable", {**BASE, **MODEL, **OAUTH, **STAYS}, {USER: HELPER}),
    case("oauth-variable", {**BASE, **MODEL, **OAUTH, **STAYS}),
    case("oauth-variable-and-api-key", {**BASE, **MODEL, **OAUTH, **KEY, **STAYS}),
    case("oauth-variable-and-token", {**BASE, **MODEL, **OAUTH, **TOKEN, **STAYS}),
    case(
        "login",
        {**BASE, **MODEL, **STAYS},
        {LOGIN: login()},
        expects_headers={"authorization": "Bearer sk-ant-oat01-made-up-1111"},
    ),
    case("login-expired", {**BASE, **MODEL, **STAYS}, {LOGIN: login(expiresAt=1)}),
    case("login-and-token", {**BASE, **MODEL, **TOKEN, **STAYS}, {LOGIN: login()}),
    case("login-and-api-key", {**BASE, **MODEL, **KEY, **STAYS}, {LOGIN: login()}),
    case("login-and-primary", {**BASE, **MODEL, **STAYS}, {LOGIN: login(), STATE: PRIMARY}),
    case(
        "login-without-inference",
        {**BASE, **MODEL, **STAYS},
        {LOGIN: login(scopes=["org:create_api_key"])},
        no_request=True,
    ),
    case("primary", {**BASE, **MODEL}, {STATE: PRIMARY}),
    case("primary-and-token", {**BASE, **MODEL, **TOKEN}, {STATE: PRIMARY}),
    case("primary-and-helper", {**BASE, **MODEL}, {STATE: PRIMARY, USER: HELPER}),
    case(
        "primary-of-vendor",
        {**BASE, **MODEL},
        {STATE: {"primaryApiKey": "sk-ant-api03-made-up"}},
        expects_headers={"x-api-key": "sk-ant-api03-made-up"},
    ),
    case(
        "headers",
        {**USUAL, "ANTHROPIC_CUSTOM_HEADERS": "X-A: 1\nX-B:2\nnone\nX-C : 3 : 4"},
        expects_headers={"x-a": "1", "x-b": "2", "x-c": "3 : 4"},
    ),
    case("header-token", {**USUAL, "ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer sk-other"}),
    case("header-key", {**USUAL, **KEY, "ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: sk-other"}),
    case(
        "header-alone",
        {**BASE, **MODEL, "ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer sk-other"},
    ),
]
KEYS = [
    keyed("newline", "sk-made-up-0000\n"),
    keyed("blanks", " \tsk-made-up-0000\r\n"),
    keyed("no-break-space", "sk-made-up-0000\u00a0"),
    keyed("inner-blank", "sk made-up-0000"),
    keyed("inner-newline", "sk-made\nup-0000", no_request=True),
    keyed("zero-width", "sk-made-up-0000\u200b", no_request=True),
    keyed("chinese", "sk-你的Key", no_request=True),
    keyed("bearer", "Bearer sk-made-up-0000"),
    keyed("blank", "  ", no_request=True),
    keyed("empty", "", no_request=True),
]
PLACES = [
    case("user-over-shell", USUAL, {USER: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user")}),
    case("user-empties-shell", {**USUAL, **KEY}, {USER: env(ANTHROPIC_API_KEY="")}),
    case("user-null", {**USUAL, **KEY}, {USER: env(ANTHROPIC_API_KEY=None)}),
    case("user-number", {**BASE, **MODEL}, {USER: env(ANTHROPIC_AUTH_TOKEN=123456)}),
    case(
        "project-over-user",
        {**BASE, **MODEL},
        {
            USER: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user"),
            PROJECT: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-project"),
        },
    ),
    case(
        "local-over-project",
        {**BASE, **MODEL},
        {
            LOCAL: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-local"),
            PROJECT: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-project"),
        },
    ),
    case(
        "project-redirects-user-key",
        MODEL,
        {
            USER: env(ANTHROPIC_BASE_URL="{base}/user", **TOKEN),
            PROJECT: env(ANTHROPIC_BASE_URL="{base}/project"),
        },
    ),
    case(
        "local-of-git-root",
        {**BASE, **MODEL},
        {
            "~/repo/.git/HEAD": "ref: refs/heads/main\n",
            "~/repo/.claude/settings.local.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-root"),
            LOCAL: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-below"),
        },
        cwd="repo/below",
    ),
    case(
        "project-not-of-git-root",
        {**BASE, **MODEL, **TOKEN},
        {
            "~/repo/.git/HEAD": "ref: refs/heads/main\n",
            "~/repo/.claude/settings.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-root"),
        },
        cwd="repo/below",
    ),
    case("state", {**MODEL, **TOKEN}, {STATE: env(ANTHROPIC_BASE_URL="{base}/state")}),
    case(
        "user-over-state",
        {**BASE, **MODEL},
        {
            USER: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user"),
            STATE: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-state"),
        },
    ),
    case("comment", USUAL, {USER: '{ // no\n"env": {"ANTHROPIC_AUTH_TOKEN": "sk-made-up-user"}}'}),
    case("wrong-kind", USUAL, {USER: {"model": 5, **env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user")}}),
    case("null", USUAL, {USER: {"model": None, **env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user")}}),
    case(
        "wrong-kind-below",
        USUAL,
        {
            USER: {"permissions": {"allow": "x"}, **env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user")},
        },
    ),
    case("byte-order-mark", USUAL, {USER: '\ufeff{"env": {"ANTHROPIC_AUTH_TOKEN": "sk-bom"}}'}),
    case("no-expansion", {**BASE, **MODEL}, {USER: env(ANTHROPIC_AUTH_TOKEN="${MY_KEY}")}),
    case(
        "config-dir",
        {**BASE, **MODEL, "CLAUDE_CONFIG_DIR": "{home}/moved"},
        {
            "~/moved/settings.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-moved"),
            USER: env(ANTHROPIC_AUTH_TOKEN="sk-made-up-user"),
        },
    ),
    case(
        "config-dir-state",
        {**BASE, **MODEL, "CLAUDE_CONFIG_DIR": "{home}/moved"},
        {"~/moved/.claude.json": PRIMARY},
    ),
    case(
        "config-dir-tilde",
        {**BASE, **MODEL, "CLAUDE_CONFIG_DIR": "~/moved"},
        {"./~/moved/settings.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-tilde")},
    ),
    case("seed-block", USUAL, {USER: {"llm": {"base_url": "{base}/llm"}, **BASE}}),
]
_MANAGED = "/etc/claude-code/managed-settings"
MANAGED = [
    case(
        "managed",
        USUAL,
        {
            f"{_MANAGED}.json": env(ANTHROPIC_BASE_URL="{base}/managed"),
            USER: env(ANTHROPIC_BASE_URL="{base}/user"),
            LOCAL: env(ANTHROPIC_BASE_URL="{base}/local"),
        },
    ),
    case(
        "managed-fragments",
        {**BASE, **MODEL},
        {
            f"{_MANAGED}.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-managed"),
            f"{_MANAGED}.d/10-a.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-first"),
            f"{_MANAGED}.d/20-b.json": env(ANTHROPIC_AUTH_TOKEN="sk-made-up-second"),
        },
    ),
    case("managed-helper", USUAL, {f"{_MANAGED}.json": HELPER}),
]
BASES = [
    at("slash", "{base}/"),
    at("v1", "{base}/v1"),
    at("api", "{base}/api/"),
    at("two-slashes", "{base}//api"),
    at("inner-slashes", "{base}/a//b"),
    at("blanks", " {base}/api \n"),
    at("inner-newline", "{base}/a\npi"),
    at("query", "{base}/api?utm_source=x y", awaited=anything),
    at("fragment", "{base}/api#x", awaited=anything),
    at("full", "{base}/v1/messages"),
    at("odd", "{base}/{x}|^~'/接口/../b c"),
    at("no-scheme", "127.0.0.1:{port}", no_request=True),
    at("no-scheme-name", "localhost:{port}/api", expects_url="http://localhost:{port}/api"
       "/v1/messages?beta=true"),
    at("quoted", '"{base}"', no_request=True),
    at("full-width", "{base}：/v1", no_request=True),
    at("user-name", "http://u:p@127.0.0.1:{port}"),
]  # fmt: skip
MODELS = [
    case("model-default", {**BASE, **TOKEN}),
    asks("alias", "Sonnet"),
    asks("alias-moved", "opus", ANTHROPIC_DEFAULT_OPUS_MODEL="mine[1m]"),
    asks("plan", "opusplan", ANTHROPIC_DEFAULT_SONNET_MODEL="mine"),
    asks("best", "best"),
    asks("long", "tiny[1m]"),
    asks("blanks", " tiny\n"),
    asks("retired", "claude-opus-4-1-20250805"),
    asks("old", "claude-3-5-haiku-20241022"),
    asks("dotted", "anthropic/claude-opus-4.6"),
    asks("unheard", "claude-opus-4-60"),
    case("model-default-moved", {**BASE, **TOKEN, "ANTHROPIC_DEFAULT_OPUS_MODEL": "mine"}),
    case("model-of-last-resort", {**BASE, **TOKEN, "ANTHROPIC_DEFAULT_MODEL": "haiku"}),
    case("model-setting", {**BASE, **TOKEN}, {USER: {"model": "of-settings"}}),
    case("model-variable-wins", {**BASE, **TOKEN}, {
        USER: env(ANTHROPIC_MODEL="of-env"), PROJECT: {"model": "of-project"},
    }),
    case("model-blank-variable", {**BASE, **TOKEN, "ANTHROPIC_MODEL": ""},
         {USER: {"model": "of-settings"}}),
    allows("set", "4096"),
    allows("zero", "0"),
    allows("words", "many"),
    allows("fraction", " 12.5 "),
    allows("exponent", "1e4"),
    allows("over", "200000"),
    allows("over-haiku", "100000", "claude-haiku-4-5"),
]  # fmt: skip
PROXIES = [
    through("settings", {USER: env(HTTP_PROXY="{proxy}")}),
    through("far", base="{far}/api", HTTP_PROXY="{proxy}"),
    through("far-https", base="https://gateway.invalid/api", HTTPS_PROXY="{proxy}"),
    through("dead", HTTP_PROXY="{dead}", refused="yes"),
    through("dead-emptied", {USER: env(HTTP_PROXY="")}, HTTP_PROXY="{dead}"),
    through("dead-excluded", HTTP_PROXY="{dead}", NO_PROXY="localhost,127.0.0.1"),
    through("dead-excluded-by-settings", {USER: env(NO_PROXY="127.0.0.1")}, HTTP_PROXY="{dead}"),
    through("excluded-by-blanks", HTTP_PROXY="{dead}", NO_PROXY="localhost 127.0.0.1"),
    through("excluded-by-network", HTTP_PROXY="{dead}", NO_PROXY="127.0.0.0/8"),
    through("excluded-by-semicolon", HTTP_PROXY="{dead}", NO_PROXY="a;127.0.0.1", refused="yes"),
    through("https-variable-first", HTTP_PROXY="{dead}", HTTPS_PROXY="{proxy}"),
    through("lower-case-first", HTTP_PROXY="{dead}", http_proxy="{proxy}"),
    through("all", ALL_PROXY="{proxy}"),
    through("all-excluded", ALL_PROXY="{dead}", NO_PROXY="127.0.0.1"),
    through("all-socks", ALL_PROXY="socks5://127.0.0.1:9"),
    through("all-no-scheme", ALL_PROXY="127.0.0.1:9", refused="yes"),
    through("socks", HTTP_PROXY="socks5://127.0.0.1:9", refused="yes"),
    through("no-scheme", HTTP_PROXY="127.0.0.1:9", refused="yes"),
    through("blanks", HTTP_PROXY=" {proxy} "),
]


@pytest.mark.parametrize(
    "case", [*AUTH, *KEYS, *PLACES, *MANAGED, *BASES, *MODELS, *PROXIES], ids=str
)
def test_claude_code_sends_what_is_predicted(case: Case, lab: Lab) -> None:
    lab.agree(PROGRAM, case)


def test_the_attribution_line_differs_by_question_and_can_be_stopped(lab: Lab) -> None:
    """What doctor.clients.nonces says of it."""

    def first_block(question: str, **variables: str) -> str:
        asked = Case("x", variables={**USUAL, **variables}, argv=("-p", question))
        request = lab.run(PROGRAM, asked).request
        assert request is not None
        return str(request.json["system"][0]["text"])

    one, same, other = first_block("hi"), first_block("hi"), first_block("what is this about?")

    assert one.startswith("x-anthropic-billing-header:")
    assert one == same
    assert one != other
    stopped = first_block("hi", CLAUDE_CODE_ATTRIBUTION_HEADER="0")
    assert not stopped.startswith("x-anthropic")
