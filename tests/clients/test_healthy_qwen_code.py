"""Homes of Qwen Code with which nothing is wrong: not one finding, and exit code 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from tests.clients.healthy import MODEL, assert_silent, engine_on, gateway_on, write_json
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

SETTINGS = "~/.qwen/settings.json"
Home = Callable[[Machine, LoopbackServer], None]


def settings(machine: Machine, method: str = "openai", **more: Any) -> None:
    own = {"security": {"auth": {"selectedType": method}}, **more}
    write_json(machine, SETTINGS, own)


def env_of_settings(machine: Machine, gateway: LoopbackServer) -> None:
    env = {"OPENAI_API_KEY": GOOD, "OPENAI_BASE_URL": f"{gateway.origin}/api/v1"}
    settings(machine, env=env, model={"name": MODEL})


def env_file(machine: Machine, gateway: LoopbackServer) -> None:
    settings(machine)
    text = f"OPENAI_API_KEY={GOOD}\nOPENAI_BASE_URL={gateway.origin}/api/v1\nOPENAI_MODEL={MODEL}\n"
    machine.write("~/.qwen/.env", text, 0o600)


def listed(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["GATEWAY_KEY"] = GOOD
    entry = {
        "id": MODEL,
        "name": "Mine",
        "envKey": "GATEWAY_KEY",
        "baseUrl": f"{gateway.origin}/api/v1",
        "generationConfig": {"samplingParams": {"max_tokens": 8192}},
    }
    settings(machine, modelProviders={"openai": [entry]}, model={"name": MODEL})


def anthropic(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["GATEWAY_KEY"] = GOOD
    entry = {"id": MODEL, "envKey": "GATEWAY_KEY", "baseUrl": f"{gateway.origin}/api"}
    settings(machine, "anthropic", modelProviders={"anthropic": [entry]}, model={"name": MODEL})


def base_of_the_shell(machine: Machine, gateway: LoopbackServer) -> None:
    """The same server under two spellings is no contradiction."""
    env_of_settings(machine, gateway)
    machine.variables["OPENAI_BASE_URL"] = f"{gateway.origin}/api/v1"


HOMES: list[Home] = [env_of_settings, env_file, listed, anthropic, base_of_the_shell]


@pytest.mark.parametrize("asked", [(), ("qwen-code",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Home, asked: tuple[str, ...], machine: Machine, stage: Backstage
) -> None:
    build(machine, gateway_on(stage))
    assert_silent(machine, "qwen-code", *asked)


def test_a_local_engine_is_silent(machine: Machine, stage: Backstage) -> None:
    engine = engine_on(stage)
    env = {"OPENAI_API_KEY": "EMPTY", "OPENAI_BASE_URL": f"{engine.origin}/v1"}
    settings(machine, env=env, model={"name": "qwen3-8b"})
    assert_silent(machine, "qwen-code")


def test_settings_beside_an_sdk_make_no_second_target(machine: Machine, stage: Backstage) -> None:
    gateway = gateway_on(stage)
    settings(machine)
    machine.variables |= {"OPENAI_BASE_URL": f"{gateway.origin}/api/v1", "OPENAI_API_KEY": GOOD}
    machine.variables["OPENAI_MODEL"] = MODEL
    assert_silent(machine, "openai-sdk")


def test_the_login_that_has_ended_is_told(machine: Machine) -> None:
    settings(machine, "qwen-oauth")
    write_json(machine, "~/.qwen/oauth_creds.json", {"access_token": "made-up-token"})

    ran = machine.check("qwen-code")

    assert "made-up-token" not in ran.out + ran.err
    assert ran.code == 1
    assert "KVD408" in {finding["code"] for finding in ran.report["findings"]}
