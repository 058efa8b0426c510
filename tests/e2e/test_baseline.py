"""``kvdoctor check --baseline``: only what is new is shown and counts."""

from __future__ import annotations

from pathlib import Path

from doctor.demo.messages import Answer, Request

from .api import Api, answer_of
from .backstage import Backstage
from .machine import KEY, Machine

TOLD = "Incorrect API key provided"


async def refuses(request: Request) -> Answer:
    return answer_of(401, {"error": {"message": TOLD, "code": "invalid_api_key"}})


def shell(machine: Machine, base: str) -> None:
    machine.variables |= {
        "OPENAI_BASE_URL": base,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "qwen3-8b",
    }


def test_what_is_known_is_not_shown_again(machine: Machine, stage: Backstage) -> None:
    shell(machine, f"{stage.open(refuses).origin}/v1")
    first = machine.check("--baseline", "known.json", "--write-baseline")
    again = machine.check("--baseline", "known.json")

    assert first.code == 0
    assert "KVD111" in {finding["code"] for finding in first.report["findings"]}
    assert "findings are known from now on: known.json" in first.err
    assert again.code == 0
    assert again.report["findings"] == []
    assert not again.report["diagnosis"]["before"]["answered"]
    assert any("known.json knows are not shown" in note for note in again.report["notes"])
    assert KEY not in (machine.cwd / "known.json").read_text("utf-8")


def test_what_is_new_is_shown_and_counts(machine: Machine, stage: Backstage) -> None:
    shell(machine, f"{stage.open(refuses).origin}/v1")
    machine.check("--baseline", "known.json", "--write-baseline")
    machine.variables["OPENAI_API_KEY"] = f'"{KEY}"'
    ran = machine.check("--baseline", "known.json")

    assert ran.code == 1
    assert {finding["code"] for finding in ran.report["findings"]} == {"KVD103"}


def test_a_baseline_that_is_not_there_ends_the_command(machine: Machine, stage: Backstage) -> None:
    shell(machine, f"{stage.open(Api()).origin}/v1")
    missing = machine.check("--baseline", "no.json")
    nameless = machine.check("--write-baseline")

    assert missing.code == nameless.code == 2
    assert "--write-baseline makes it" in missing.err
    assert "name the file with --baseline" in nameless.err
    assert not Path(machine.cwd / "no.json").exists()
