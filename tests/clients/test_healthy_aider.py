"""Homes of Aider with which nothing is wrong: not one finding, and exit code 0."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from tests.clients.healthy import MODEL, assert_silent, engine_on, gateway_on
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

CONF = "~/.aider.conf.yml"
Home = Callable[[Machine, LoopbackServer], None]


def conf_alone(machine: Machine, gateway: LoopbackServer) -> None:
    text = f"openai-api-base: {gateway.origin}/api/v1\nopenai-api-key: {GOOD}\n"
    machine.write(CONF, f"{text}model: openai/{MODEL}\nauto-commits: false\n", 0o600)


def conf_and_env_file(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write(CONF, f"model: openai/{MODEL}\n")
    text = f"OPENAI_API_BASE={gateway.origin}/api/v1\nOPENAI_API_KEY={GOOD}\n"
    machine.write(".env", text, 0o600)


def conf_and_shell(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write(CONF, f"model: openai/{MODEL}\nweak-model: openai/{MODEL}\n")
    machine.variables |= {
        "OPENAI_API_BASE": f"{gateway.origin}/api/v1",
        "OPENAI_API_KEY": GOOD,
    }


def anthropic(machine: Machine, gateway: LoopbackServer) -> None:
    machine.write(CONF, f"model: anthropic/{MODEL}\nanthropic-api-key: {GOOD}\n", 0o600)
    machine.variables["ANTHROPIC_BASE_URL"] = f"{gateway.origin}/api"


def model_settings(machine: Machine, gateway: LoopbackServer) -> None:
    conf_alone(machine, gateway)
    entry = {"name": f"openai/{MODEL}", "extra_params": {"max_tokens": 4096}}
    machine.write(".aider.model.settings.yml", json.dumps([entry]))


HOMES: list[Home] = [conf_alone, conf_and_env_file, conf_and_shell, anthropic, model_settings]


@pytest.mark.parametrize("asked", [(), ("aider",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Home, asked: tuple[str, ...], machine: Machine, stage: Backstage
) -> None:
    build(machine, gateway_on(stage))
    assert_silent(machine, "aider", *asked)


def test_a_local_engine_without_a_key_is_silent(machine: Machine, stage: Backstage) -> None:
    engine = engine_on(stage)
    machine.write(CONF, f"set-env:\n- HOSTED_VLLM_API_BASE={engine.origin}/v1\n"
                  "model: hosted_vllm/qwen3-8b\n")  # fmt: skip
    assert_silent(machine, "aider")


def test_another_vendors_model_makes_no_target(machine: Machine) -> None:
    machine.write(CONF, "model: gemini/gemini-2.5-pro\ndark-mode: true\n")

    assert machine.check().code == 3


def test_a_name_without_the_protocol_is_told(machine: Machine, stage: Backstage) -> None:
    gateway = gateway_on(stage)
    conf_alone(machine, gateway)
    path = machine.home / ".aider.conf.yml"
    path.write_text(path.read_text().replace("openai/deepseek-v4-flash", "my-model"))

    report = machine.check().report

    assert "KVD408" in {finding["code"] for finding in report["findings"]}
