"""Homes of Cline with which nothing is wrong: not one finding, and exit code 0."""

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

FILE = "~/.cline/data/settings/providers.json"
Home = Callable[[Machine, LoopbackServer], None]


def settings(base: str, provider: str = "openai-compatible", **more: Any) -> dict[str, Any]:
    own = {"provider": provider, "apiKey": GOOD, "model": MODEL, "baseUrl": base, **more}
    entry = {
        "settings": {name: value for name, value in own.items() if value is not None},
        "updatedAt": "2026-11-29T00:00:00.000Z",
        "tokenSource": "manual",
    }
    head = {"version": 1, "lastUsedProvider": provider, "modes": {}}
    return {**head, "providers": {provider: entry}}


def openai_compatible(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, FILE, settings(f"{gateway.origin}/api/v1"))


def anthropic(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, FILE, settings(f"{gateway.origin}/api/v1", "anthropic"))


def openai_native(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, FILE, settings(f"{gateway.origin}/api/v1/", "openai-native"))


def key_of_the_variable(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["OPENAI_API_KEY"] = GOOD
    write_json(machine, FILE, settings(f"{gateway.origin}/api/v1", apiKey=None))


def beside_another_programs_key(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["OPENAI_API_KEY"] = "sk-made-up-for-another-program-0000000"
    openai_compatible(machine, gateway)


def blanks_that_it_takes_off(machine: Machine, gateway: LoopbackServer) -> None:
    write_json(machine, FILE, settings(f" {gateway.origin}/api/v1 "))


def moved_folder(machine: Machine, gateway: LoopbackServer) -> None:
    machine.variables["CLINE_DIR"] = str(machine.home / "moved")
    write_json(
        machine, "~/moved/data/settings/providers.json", settings(f"{gateway.origin}/api/v1")
    )


def legacy_files(machine: Machine, gateway: LoopbackServer) -> None:
    base = f"{gateway.origin}/api/v1"
    state = {"actModeApiProvider": "openai", "openAiBaseUrl": base, "actModeOpenAiModelId": MODEL}
    write_json(machine, "~/.cline/data/globalState.json", state)
    write_json(machine, "~/.cline/data/secrets.json", {"openAiApiKey": GOOD})


HOMES: list[Home] = [
    openai_compatible,
    anthropic,
    openai_native,
    key_of_the_variable,
    moved_folder,
    legacy_files,
]


@pytest.mark.parametrize("build", [beside_another_programs_key, blanks_that_it_takes_off])
def test_what_is_no_fault_for_cline(build: Home, machine: Machine, stage: Backstage) -> None:
    build(machine, gateway_on(stage))
    assert_silent(machine, "cline", "cline")


@pytest.mark.parametrize("asked", [(), ("cline",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Home, asked: tuple[str, ...], machine: Machine, stage: Backstage
) -> None:
    build(machine, gateway_on(stage))
    assert_silent(machine, "cline", *asked)


def test_a_local_engine_without_a_key_is_silent(machine: Machine, stage: Backstage) -> None:
    engine = engine_on(stage)
    write_json(machine, FILE, settings(f"{engine.origin}/v1", model=ENGINE_MODEL, apiKey=None))
    assert_silent(machine, "cline")


def test_a_login_of_its_own_makes_no_target(machine: Machine) -> None:
    auth = {"accessToken": "made-up-token", "refreshToken": "made-up", "expiresAt": 9e12}
    content = settings("", "cline", apiKey=None, baseUrl=None, auth=auth)
    write_json(machine, FILE, content)

    ran = machine.check()

    assert ran.code == 3  # nothing to examine
    assert "made-up-token" not in ran.out + ran.err
