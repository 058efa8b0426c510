"""A file that ``launch`` in kvdoctor.toml names, against the engine that answers."""

from __future__ import annotations

from doctor.demo.keys import ENGINE as KEY
from doctor.demo.vllm import Vllm, VllmConfig

from .backstage import Backstage
from .machine import Machine

SERVED = VllmConfig(models=("tiny",), max_model_len=4096, api_keys=(KEY,))


def settings(machine: Machine, stage: Backstage, line: str) -> None:
    server = stage.open(Vllm(SERVED))
    machine.write("serve.sh", f"#!/bin/sh\n{line}\n", 0o755)
    machine.write(
        "kvdoctor.toml",
        f'[targets.lab]\nbase_url = "{server.origin}/v1"\nkey_env = "LAB_KEY"\nkind = "engine"\n'
        'model = "tiny"\nlaunch = "serve.sh"\n',
    )
    machine.variables["LAB_KEY"] = KEY


def test_a_script_that_starts_another_engine_than_runs(machine: Machine, stage: Backstage) -> None:
    settings(machine, stage, "vllm serve tiny-model --served-model-name tiny --max-model-len 8k")
    ran = machine.check()
    (finding,) = ran.report["findings"]

    assert ran.code == 0
    assert finding["code"] == "KVD918"
    assert finding["title"] == "serve.sh says --max-model-len 8k, and the engine runs with 4,096"
    assert finding["evidence"][0]["location"] == "serve.sh:2"


def test_a_script_that_starts_what_runs_is_no_finding(machine: Machine, stage: Backstage) -> None:
    line = (
        "vllm serve tiny-model --served-model-name tiny --max-model-len 4096"
        f" --enable-prefix-caching --gpu-memory-utilization 0.5 --api-key {KEY}"
    )
    settings(machine, stage, line)
    ran = machine.check()

    assert ran.report["findings"] == []
    assert KEY not in ran.out


def test_a_saved_run_tells_the_same(machine: Machine, stage: Backstage) -> None:
    settings(machine, stage, "vllm serve tiny-model --served-model-name other")
    live = machine.check("--save-bundle", "run.json")
    again = machine.run("replay", "run.json", "--format", "json")

    assert [finding["title"] for finding in live.report["findings"]] == [
        finding["title"] for finding in again.report["findings"]
    ]
    assert "--served-model-name other" in live.report["findings"][0]["title"]
