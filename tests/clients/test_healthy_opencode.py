"""Homes of opencode with which nothing is wrong: not one finding, and exit code 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from tests.clients.healthy import (
    ENGINE_MODEL,
    MODEL,
    assert_silent,
    engine_on,
    gateway_on,
    write_json,
)
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

USER, AUTH = "~/.config/opencode/opencode.json", "~/.local/share/opencode/auth.json"
Home = Callable[[Machine, LoopbackServer], None]


def settings(gateway: LoopbackServer, key: str | None = GOOD, **provider: Any) -> dict[str, Any]:
    options = {"baseURL": f"{gateway.origin}/api/v1"} | ({} if key is None else {"apiKey": key})
    mine: dict[str, Any] = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Mine",
        "options": options,
        "models": {MODEL: {"name": "Mine", "limit": {"context": 64_000, "output": 4096}}},
    }
    return {
        "$schema": "https://opencode.ai/config.json",
        "provider": {"mine": mine | provider},
        "model": f"mine/{MODEL}",
    }


def key_in_the_file(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, USER, settings(gateway))


def key_of_a_variable(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["GATEWAY_KEY"] = GOOD
    write_json(machine, USER, settings(gateway, "{env:GATEWAY_KEY}"))


def key_of_a_key_file(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write("~/.secrets/key", f"{GOOD}\n", 0o600)
    write_json(machine, USER, settings(gateway, "{file:~/.secrets/key}"))


def key_of_a_login(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, AUTH, {"mine": {"type": "api", "key": GOOD}})
    write_json(machine, USER, settings(gateway, None))


def anthropic_package(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, USER, settings(gateway, npm="@ai-sdk/anthropic"))


def openai_package(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, USER, settings(gateway, npm="@ai-sdk/openai"))


def comments_and_a_project(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write("~/.config/opencode/opencode.jsonc", '{\n  // mine\n  "theme": "system",\n}\n')
    write_json(machine, USER, settings(gateway))
    write_json(machine, "opencode.json", {"instructions": ["README.md"], "mcp": {}})
    write_json(machine, ".opencode/opencode.json", {"permission": {"bash": "ask"}})


def beside_claude_code(machine: Machine, gateway: LoopbackServer) -> None:
    """The variables of another program for the same gateway, whose base has no version."""
    machine.variables["ANTHROPIC_BASE_URL"] = f"{gateway.origin}/api"
    machine.variables["ANTHROPIC_API_KEY"] = "sk-made-up-for-another-program-0000000"
    options = {"baseURL": f"{gateway.origin}/api/v1", "apiKey": GOOD}
    provider = {"anthropic": {"options": options, "models": {MODEL: {}}}}
    write_json(machine, USER, {"provider": provider, "model": f"anthropic/{MODEL}"})


def text_of_a_variable(machine: Machine, gateway: LoopbackServer) -> None:
    import json

    machine.variables["OPENCODE_CONFIG_CONTENT"] = json.dumps(settings(gateway, "{env:MY_KEY}"))
    machine.variables["MY_KEY"] = GOOD


HOMES: list[Home] = [
    key_in_the_file,
    key_of_a_variable,
    key_of_a_key_file,
    key_of_a_login,
    anthropic_package,
    openai_package,
    comments_and_a_project,
]


@pytest.mark.parametrize("asked", [(), ("opencode",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Home, asked: tuple[str, ...], machine: Machine, stage: Backstage
) -> None:
    build(machine, gateway_on(stage))
    assert_silent(machine, "opencode", *asked)


def test_the_variables_of_another_program_are_no_fault(machine: Machine, stage: Backstage) -> None:
    beside_claude_code(machine, gateway_on(stage))
    assert_silent(machine, "opencode", "opencode")


def test_the_text_of_a_variable_is_silent(machine: Machine, stage: Backstage) -> None:
    text_of_a_variable(machine, gateway_on(stage))
    assert_silent(machine, "opencode", "opencode")


def test_a_local_engine_without_a_key_is_silent(machine: Machine, stage: Backstage) -> None:
    engine = engine_on(stage)
    options = {"baseURL": f"{engine.origin}/v1"}
    models = {ENGINE_MODEL: {"limit": {"context": 131_072, "output": 8192}}}
    mine = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": models}
    write_json(machine, USER, {"provider": {"vllm": mine}, "model": f"vllm/{ENGINE_MODEL}"})
    assert_silent(machine, "opencode")


def test_a_plain_login_makes_no_target(machine: Machine) -> None:
    entry = {"type": "oauth", "refresh": "made-up-r", "access": "made-up-a", "expires": 9e12}
    write_json(machine, AUTH, {"anthropic": entry})
    write_json(machine, USER, {"theme": "system", "model": "anthropic/claude-sonnet-4-5"})

    ran = machine.check()

    assert ran.code == 3  # nothing to examine
    assert "made-up-a" not in ran.out + ran.err
