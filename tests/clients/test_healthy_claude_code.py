"""Homes of Claude Code with which nothing is wrong: not one finding, and exit code 0."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.vllm import Vllm, VllmConfig
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

MODEL = "deepseek-v4-flash"
SETTINGS = "~/.claude/settings.json"


@pytest.fixture
def gateway(stage: Backstage) -> LoopbackServer:
    """new-api below /api, as TaoToken."""
    return stage.open(NewApi(NewApiConfig()))


def usual(gateway: LoopbackServer, **more: Any) -> dict[str, Any]:
    token = {"ANTHROPIC_BASE_URL": f"{gateway.origin}/api", "ANTHROPIC_AUTH_TOKEN": GOOD}
    return {"env": {**token, "ANTHROPIC_MODEL": MODEL, **more}}


def write(machine: Machine, path: str, content: dict[str, Any]) -> None:
    machine.write(path, json.dumps(content, indent=2), 0o600)


def user_file(machine: Machine, gateway: LoopbackServer) -> None:
    write(machine, SETTINGS, usual(gateway))


def with_all_that_people_have(machine: Machine, gateway: LoopbackServer) -> None:
    state = {"numStartups": 9, "projects": {str(machine.cwd): {"allowedTools": []}}}
    write(machine, "~/.claude.json", state)
    write(machine, ".claude/settings.json", {"permissions": {"allow": ["Bash(ls:*)"]}})
    write(machine, ".claude/settings.local.json", {"enableAllProjectMcpServers": True})
    settings = {**usual(gateway, DISABLE_TELEMETRY="1"), "theme": "dark", "hooks": {}}
    write(machine, SETTINGS, settings)


def model_of_settings(machine: Machine, gateway: LoopbackServer) -> None:
    settings = usual(gateway)
    settings["model"] = settings["env"].pop("ANTHROPIC_MODEL")
    write(machine, SETTINGS, settings)


def aliases(machine: Machine, gateway: LoopbackServer) -> None:
    settings = usual(gateway, ANTHROPIC_DEFAULT_OPUS_MODEL=MODEL)
    del settings["env"]["ANTHROPIC_MODEL"]
    write(machine, SETTINGS, settings)


def key_by_api_key(machine: Machine, gateway: LoopbackServer) -> None:
    settings = usual(gateway)
    settings["env"]["ANTHROPIC_API_KEY"] = settings["env"].pop("ANTHROPIC_AUTH_TOKEN")
    write(machine, SETTINGS, settings)


def emptied_api_key(machine: Machine, gateway: LoopbackServer) -> None:
    """What guides advise against the conflict of two credentials."""
    write(machine, SETTINGS, usual(gateway, ANTHROPIC_API_KEY=""))


def moved_folder(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["CLAUDE_CONFIG_DIR"] = str(machine.home / "moved")
    write(machine, "~/moved/settings.json", usual(gateway))


def slash_and_header(machine: Machine, gateway: LoopbackServer) -> None:
    more = {"ANTHROPIC_CUSTOM_HEADERS": "X-Team: made-up", "API_TIMEOUT_MS": "600000"}
    settings = usual(gateway, **more)
    settings["env"]["ANTHROPIC_BASE_URL"] += "/"
    write(machine, SETTINGS, settings)


def key_in_a_header(machine: Machine, gateway: LoopbackServer) -> None:
    settings = usual(gateway, ANTHROPIC_CUSTOM_HEADERS=f"Authorization: Bearer {GOOD}")
    del settings["env"]["ANTHROPIC_AUTH_TOKEN"]
    write(machine, SETTINGS, settings)


def excluded_from_the_proxy(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["HTTPS_PROXY"] = "http://127.0.0.1:9"
    write(machine, SETTINGS, usual(gateway, NO_PROXY="localhost,127.0.0.1"))


HOMES = [
    user_file,
    with_all_that_people_have,
    model_of_settings,
    aliases,
    key_by_api_key,
    emptied_api_key,
    moved_folder,
    slash_and_header,
    key_in_a_header,
    excluded_from_the_proxy,
]


@pytest.mark.parametrize("asked", [(), ("claude-code",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Callable[[Machine, LoopbackServer], None],
    asked: tuple[str, ...],
    machine: Machine,
    gateway: LoopbackServer,
) -> None:
    build(machine, gateway)

    ran = machine.check(*asked)

    report = ran.report
    assert [(f["code"], f["title"]) for f in report["findings"]] == []
    assert ran.code == 0, ran.err
    assert [target["client"] for target in report["targets"]] == ["claude-code"]
    assert report["targets"][0]["diagnosis"]["before"]["answered"]


def test_a_healthy_home_before_an_engine_is_silent(machine: Machine, stage: Backstage) -> None:
    config = VllmConfig(
        models=("qwen3-8b",), max_model_len=131_072, api_keys=(GOOD,), auto_tool_choice=True
    )
    engine = stage.open(Vllm(config))
    token = {"ANTHROPIC_BASE_URL": engine.origin, "ANTHROPIC_AUTH_TOKEN": GOOD}
    write(machine, SETTINGS, {"env": {**token, "ANTHROPIC_MODEL": "qwen3-8b"}})

    ran = machine.check()

    assert [(f["code"], f["title"]) for f in ran.report["findings"]] == []
    assert ran.code == 0


def test_an_installed_client_with_a_plain_login_makes_no_target(machine: Machine) -> None:
    entry = {
        "accessToken": "sk-ant-oat01-made-up",
        "refreshToken": "sk-ant-ort01-made-up",
        "expiresAt": 9_999_999_999_000,
        "scopes": ["user:inference"],
    }
    write(machine, "~/.claude/.credentials.json", {"claudeAiOauth": entry})
    write(machine, SETTINGS, {"model": "opus"})

    ran = machine.check()

    assert ran.code == 3  # nothing to examine
    assert "sk-ant-oat01" not in ran.out + ran.err
