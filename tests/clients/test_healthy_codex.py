"""Homes of Codex with which nothing is wrong: not one finding, and exit code 0."""

from __future__ import annotations

from collections.abc import Callable

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

CONFIG, AUTH = "~/.codex/config.toml", "~/.codex/auth.json"
Home = Callable[[Machine, LoopbackServer], None]


def provider(gateway: LoopbackServer, *lines: str, top: str = "", end: str = "") -> str:
    return (
        f'model = "{MODEL}"\nmodel_provider = "mine"\n{top}\n'
        f'[model_providers.mine]\nname = "Mine"\nbase_url = "{gateway.origin}/api/v1"\n'
        + "".join(f"{line}\n" for line in lines)
        + end
    )


def key_of_a_variable(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["GATEWAY_KEY"] = GOOD
    machine.write(CONFIG, provider(gateway, 'env_key = "GATEWAY_KEY"', 'wire_api = "responses"'))


def key_of_its_env_file(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write("~/.codex/.env", f"GATEWAY_KEY={GOOD}\n", 0o600)
    machine.write(CONFIG, provider(gateway, 'env_key = "GATEWAY_KEY"'))


def token_in_the_file(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write(CONFIG, provider(gateway, f'experimental_bearer_token = "{GOOD}"'), 0o600)


def key_of_a_login(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, AUTH, {"auth_mode": "apikey", "OPENAI_API_KEY": GOOD})
    machine.write(CONFIG, provider(gateway, "requires_openai_auth = true"))


def openai_base_url(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, AUTH, {"auth_mode": "apikey", "OPENAI_API_KEY": GOOD})
    machine.write(CONFIG, f'model = "{MODEL}"\nopenai_base_url = "{gateway.origin}/api/v1"\n')


def beside_a_chatgpt_login(machine: Machine, gateway: LoopbackServer) -> None:
    """The login is there, and the gateway's provider does not ask for it."""
    tokens = {"id_token": "a", "access_token": "made-up", "refresh_token": "b", "account_id": "c"}
    write_json(machine, AUTH, {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens})
    key_of_a_variable(machine, gateway)


def with_all_that_people_have(machine: Machine, gateway: LoopbackServer) -> None:
    more = 'approval_policy = "on-request"\nmodel_reasoning_effort = "high"\n'
    end = (
        f'[projects."{machine.cwd}"]\ntrust_level = "trusted"\n'
        '[mcp_servers.files]\ncommand = "npx"\n[tui]\nnotifications = true\n'
        '[model_providers.unused]\nname = "Other"\nbase_url = "https://other.example/v1"\n'
        'env_key = "NOT_SET"\n'
    )
    machine.variables["GATEWAY_KEY"] = GOOD
    machine.write(CONFIG, provider(gateway, 'env_key = "GATEWAY_KEY"', top=more, end=end))
    machine.write(".codex/config.toml", 'sandbox_mode = "workspace-write"\n')
    machine.write("~/.codex/history.jsonl", "{}\n")


def an_sdk_beside_it(machine: Machine, gateway: LoopbackServer) -> None:
    """The variables of the Python SDK, which Codex does not read."""
    machine.variables |= {"OPENAI_BASE_URL": f"{gateway.origin}/api/v1", "OPENAI_API_KEY": GOOD}
    machine.variables["OPENAI_MODEL"] = MODEL
    key_of_a_variable(machine, gateway)


HOMES: list[Home] = [
    key_of_a_variable,
    key_of_its_env_file,
    token_in_the_file,
    key_of_a_login,
    openai_base_url,
    beside_a_chatgpt_login,
    with_all_that_people_have,
]


@pytest.mark.parametrize("asked", [(), ("codex",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Home, asked: tuple[str, ...], machine: Machine, stage: Backstage
) -> None:
    build(machine, gateway_on(stage))
    assert_silent(machine, "codex", *asked)


def test_an_sdk_of_the_same_gateway_is_no_fault_of_codex(
    machine: Machine, stage: Backstage
) -> None:
    an_sdk_beside_it(machine, gateway_on(stage))
    assert_silent(machine, "codex", "codex")


def test_a_local_engine_is_silent(machine: Machine, stage: Backstage) -> None:
    engine = engine_on(stage)
    machine.variables["CODEX_OSS_BASE_URL"] = f"{engine.origin}/v1"
    machine.write(CONFIG, f'model = "{ENGINE_MODEL}"\nmodel_provider = "lmstudio"\n')
    assert_silent(machine, "codex")


def test_a_plain_login_makes_no_target(machine: Machine) -> None:
    tokens = {"id_token": "a", "access_token": "made-up-token", "refresh_token": "b"}
    write_json(machine, AUTH, {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens})
    machine.write(CONFIG, 'model_reasoning_effort = "high"\n')

    ran = machine.check()

    assert ran.code == 3  # nothing to examine
    assert "made-up-token" not in ran.out + ran.err


def test_azure_as_codex_documents_it_is_silent(machine: Machine) -> None:
    machine.variables["AZURE_OPENAI_API_KEY"] = "0123456789abcdef" * 2
    machine.write(
        CONFIG,
        'model = "gpt-5-codex"\nmodel_provider = "azure"\n[model_providers.azure]\nname = "Azure"\n'
        'base_url = "https://r.openai.azure.com/openai"\nenv_key = "AZURE_OPENAI_API_KEY"\n'
        'query_params = { api-version = "2025-04-01-preview" }\nwire_api = "responses"\n',
    )
    ran = machine.check("codex", "--offline")
    assert [(f["code"], f["title"]) for f in ran.report["findings"]] == []
