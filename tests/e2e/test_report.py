"""``kvdoctor report``: whole, redacted, the same on the screen and in the file."""

from __future__ import annotations

import json

import pytest

from doctor.demo.messages import Answer, Request

from .api import Api, answer_of
from .backstage import Backstage
from .machine import KEY, Machine


async def refuses(request: Request) -> Answer:
    told = f"Incorrect API key provided: {KEY}"
    return answer_of(401, {"error": {"message": told, "code": "invalid_api_key"}})


def shell(machine: Machine, base: str) -> None:
    machine.variables |= {
        "OPENAI_BASE_URL": base,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "qwen3-8b",
    }


def test_what_is_printed_is_what_is_written(machine: Machine, stage: Backstage) -> None:
    shell(machine, f"{stage.open(refuses).origin}/v1")
    ran = machine.run("report", "--out", "markdown=report.md", "--with-bundle")
    written = (machine.cwd / "report.md").read_text("utf-8")
    bundle = (machine.cwd / "report.md.bundle.json").read_text("utf-8")

    assert ran.code == 0
    assert written == ran.out
    assert ran.out.startswith("# kvdoctor report\n")
    assert "KVD111" in ran.out
    assert "## Environment" in ran.out
    assert "| kvdoctor | " in ran.out
    assert "openai 3" in ran.out
    assert KEY not in ran.out + ran.err + bundle
    assert json.loads(bundle)["schema"] == "kvdoctor.bundle/1"


def test_what_was_written_is_no_setting_of_the_next_run(machine: Machine, stage: Backstage) -> None:
    base = f"{stage.open(refuses).origin}/v1"
    machine.write(".env", f"OPENAI_BASE_URL={base}\nOPENAI_API_KEY={KEY}\n", 0o600)
    machine.run("report", "--out", "markdown=report.md", "--with-bundle")
    first = machine.run("check", "--out", "json=report.json", "--format", "json").report
    again = machine.check().report

    assert len(first["targets"]) == 1
    assert [one["id"] for one in again["targets"]] == [one["id"] for one in first["targets"]]


def test_the_number_of_what_was_taken_out_is_told(machine: Machine, stage: Backstage) -> None:
    base = f"{stage.open(refuses).origin}/v1"
    machine.write("~/.config/made-up.env", f"OPENAI_BASE_URL={base}\nOPENAI_API_KEY={KEY}\n", 0o600)
    machine.variables["OPENAI_MODEL"] = str(machine.home / "models" / "qwen")
    file = str(machine.home / ".config/made-up.env")
    ran = machine.run("report", "--env-file", file)
    shown = ran.out.count("sk-…")

    assert f"keys masked {shown}×" in ran.err
    assert "home folder" in ran.err
    assert str(machine.home) not in ran.out
    assert "~/models/qwen" in ran.out


def test_hosts_are_taken_out_when_asked(machine: Machine) -> None:
    shell(machine, "http://gateway.corp.invalid:9/v1")
    machine.variables["HTTPS_PROXY"] = "http://me:made0up0password@proxy.corp.invalid:3128"
    machine.variables["NO_PROXY"] = "localhost, .inside.invalid"
    plain = machine.run("report", "--offline")
    hidden = machine.run("report", "--offline", "--hide-hosts")

    assert "gateway.corp.invalid" in plain.out
    assert "corp.invalid" not in hidden.out
    assert "inside.invalid" not in hidden.out
    assert "http://host-1.example:9/v1" in hidden.out
    assert "hosts " in hidden.err
    assert "made0up0password" not in plain.out + hidden.out


def test_a_saved_run_is_reported_without_asking_anybody(machine: Machine, stage: Backstage) -> None:
    server = stage.open(refuses)
    shell(machine, f"{server.origin}/v1")
    machine.run("check", "--save-bundle", "run.json")
    asked = len(server.requests)
    machine.variables.clear()
    ran = machine.run("report", "--from-bundle", "run.json")

    assert ran.code == 0
    assert "KVD111" in ran.out
    assert len(server.requests) == asked
    assert "| Python |" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--with-bundle",), "name a file with --out"),
        (("--with-bundle", "--out", "x.md", "--hide-hosts"), "a bundle holds the hosts"),
        (("--from-bundle", "no.json"), "no.json: No such file"),
        (("--out", "no/x.md"), "--out no/x.md: No such file"),
    ],
)
def test_mistakes_are_told(
    arguments: tuple[str, ...], told: str, machine: Machine, stage: Backstage
) -> None:
    shell(machine, f"{stage.open(Api()).origin}/v1")
    ran = machine.run("report", *arguments)

    assert ran.code == 2
    assert told in ran.err


def test_nothing_to_report_is_said(machine: Machine) -> None:
    assert machine.run("report").code == 3
