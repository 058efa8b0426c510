"""What the tests of healthy homes share: a demo gateway, and what silence is."""

from __future__ import annotations

import json
from typing import Any

from doctor.demo.http import LoopbackServer
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.vllm import Vllm, VllmConfig
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

MODEL = "deepseek-v4-flash"
ENGINE_MODEL = "qwen3-8b"


def gateway_on(stage: Backstage) -> LoopbackServer:
    """new-api below /api, as TaoToken."""
    return stage.open(NewApi(NewApiConfig()))


def engine_on(stage: Backstage) -> LoopbackServer:
    """A vLLM that asks for no key."""
    config = VllmConfig(models=(ENGINE_MODEL,), max_model_len=131_072, auto_tool_choice=True)
    return stage.open(Vllm(config))


def write_json(machine: Machine, path: str, content: dict[str, Any]) -> None:
    machine.write(path, json.dumps(content, indent=2), 0o600)


def assert_silent(machine: Machine, client: str, *asked: str, targets: int = 1) -> None:
    """Not one finding, exit code 0, and every target is that client's and answered."""
    ran = machine.check(*asked)
    report = ran.report
    assert [(f["code"], f["title"], f["explanation"]) for f in report["findings"]] == []
    assert ran.code == 0, ran.err
    assert [target["client"] for target in report["targets"]] == [client] * targets
    assert all(target["diagnosis"]["before"]["answered"] for target in report["targets"])
    assert not [c for c in report["checks"] if c["status"] in ("crashed", "timeout")]
