"""Programs between a client and a gateway with which nothing is wrong: not one finding."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from tests.clients.healthy import MODEL, assert_silent, engine_on, gateway_on, write_json
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

ASKED = [(), ("claude-code-router",)]


def router(gateway: LoopbackServer, **more: Any) -> dict[str, Any]:
    provider = {
        "name": "mine",
        "api_base_url": f"{gateway.origin}/api/v1/chat/completions",
        "api_key": GOOD,
        "models": [MODEL],
        **more,
    }
    return {"Providers": [provider], "Router": {"default": f"mine,{MODEL}"}, "APIKEY": "made-up"}


@pytest.mark.parametrize("asked", ASKED, ids=["discovered", "named"])
def test_claude_code_router(asked: tuple[str, ...], machine: Machine, stage: Backstage) -> None:
    write_json(machine, "~/.claude-code-router/config.json", router(gateway_on(stage)))
    assert_silent(machine, "claude-code-router", *asked)


def test_claude_code_router_with_its_key_in_a_variable(machine: Machine, stage: Backstage) -> None:
    machine.variables["GATEWAY_KEY"] = GOOD
    config = router(gateway_on(stage), api_key="$GATEWAY_KEY", transformer={"use": ["deepseek"]})
    write_json(machine, "~/.claude-code-router/config.json", config)
    assert_silent(machine, "claude-code-router")


def database(machine: Machine, gateway: LoopbackServer, *, taken: bool) -> Path:
    path = machine.home / ".cc-switch" / "cc-switch.db"
    path.parent.mkdir()
    config = {
        "env": {
            "ANTHROPIC_BASE_URL": f"{gateway.origin}/api",
            "ANTHROPIC_AUTH_TOKEN": GOOD,
            "ANTHROPIC_MODEL": MODEL,
        }
    }
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE providers (id TEXT, app_type TEXT, name TEXT, settings_config TEXT,"
            " is_current BOOLEAN)"
        )
        connection.execute(
            "CREATE TABLE proxy_config (app_type TEXT PRIMARY KEY, proxy_enabled INTEGER,"
            " enabled INTEGER)"
        )
        row = ("1", "claude", "Mine", json.dumps(config), 1)
        connection.execute("INSERT INTO providers VALUES (?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO proxy_config VALUES ('claude', ?, ?)", (taken, taken))
    connection.close()
    path.chmod(0o600)
    return path


def test_cc_switch_beside_what_it_wrote(machine: Machine, stage: Backstage) -> None:
    gateway = gateway_on(stage)
    path = database(machine, gateway, taken=False)
    env = {"ANTHROPIC_BASE_URL": f"{gateway.origin}/api", "ANTHROPIC_AUTH_TOKEN": GOOD}
    write_json(machine, "~/.claude/settings.json", {"env": {**env, "ANTHROPIC_MODEL": MODEL}})
    before = path.read_bytes(), sorted(path.parent.iterdir())

    assert_silent(machine, "claude-code")

    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before
    assert machine.check().report["notes"] == []


def test_cc_switch_that_carries_the_traffic(machine: Machine, stage: Backstage) -> None:
    database(machine, gateway_on(stage), taken=True)
    assert_silent(machine, "cc-switch")


def test_another_address_than_its_current_providers_is_noted(
    machine: Machine, stage: Backstage
) -> None:
    gateway = gateway_on(stage)
    database(machine, stage.open(gateway.handler), taken=False)
    env = {"ANTHROPIC_BASE_URL": f"{gateway.origin}/api", "ANTHROPIC_AUTH_TOKEN": GOOD}
    write_json(machine, "~/.claude/settings.json", {"env": {**env, "ANTHROPIC_MODEL": MODEL}})

    notes = machine.check().report["notes"]

    assert len(notes) == 1
    assert "Mine" in notes[0]
    assert GOOD not in notes[0]


@pytest.mark.parametrize("client", ["langchain", "llama-index"])
def test_a_library_is_asked_where_it_goes(client: str, machine: Machine, stage: Backstage) -> None:
    gateway = gateway_on(stage)
    machine.variables |= {
        "OPENAI_API_BASE": f"{gateway.origin}/api/v1",
        "OPENAI_API_KEY": GOOD,
        "OPENAI_MODEL": MODEL,
    }
    assert_silent(machine, client, client)


def test_the_routes_of_litellm(machine: Machine, stage: Backstage) -> None:
    engine = engine_on(stage)
    machine.variables |= {"ENGINE_KEY": "EMPTY", "CONFIG_FILE_PATH": str(machine.home / "p.yaml")}
    params = "{model: hosted_vllm/qwen3-8b, api_base: %s/v1, api_key: os.environ/ENGINE_KEY}"
    text = f"model_list:\n- model_name: chat\n  litellm_params: {params % engine.origin}\n"
    machine.write("~/p.yaml", text, 0o600)
    assert_silent(machine, "litellm-proxy")
