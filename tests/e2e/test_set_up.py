"""A client that nothing configures is set up for a server that runs here, and then works."""

from __future__ import annotations

import json

from .api import Api, answer_of, listed
from .backstage import Backstage
from .machine import Machine

WINDOW = 8_192


def _server() -> Api:
    return Api(models=lambda: answer_of(200, listed("qwen3-8b", max_model_len=WINDOW)))


def test_the_servers_own_model_and_window_go_into_the_block(
    machine: Machine, stage: Backstage
) -> None:
    base = stage.open(_server()).origin

    ran = machine.run("fix", "qwen-code", "--base-url", base, "--yes", "--format", "json")

    assert ran.code == 0, ran.out + ran.err
    assert [one["verified"] for one in ran.report["verdicts"]] == [True]
    settings = json.loads((machine.home / ".qwen/settings.json").read_text())
    (model,) = settings["modelProviders"]["openai"]
    assert model["id"] == "qwen3-8b"
    assert model["baseUrl"] == f"{base}/v1"
    assert model["generationConfig"]["samplingParams"]["max_tokens"] < WINDOW
    # What was written stands by itself: without any flag the client's own request answers.
    report = machine.check("qwen-code").report
    assert report["diagnosis"]["before"]["status"] == 200
    assert report["findings"] == []


def test_a_block_that_is_there_is_not_proposed_again(machine: Machine, stage: Backstage) -> None:
    base = stage.open(_server()).origin
    machine.run("fix", "qwen-code", "--base-url", base, "--yes")

    again = machine.run("fix", "qwen-code", "--yes")

    assert "There is no proved fix" in again.out


def test_undo_takes_the_file_and_its_folder_away(machine: Machine, stage: Backstage) -> None:
    base = stage.open(_server()).origin
    machine.run("fix", "qwen-code", "--base-url", base, "--yes")
    assert (machine.home / ".qwen/settings.json").is_file()

    assert machine.run("undo").code == 0
    assert not (machine.home / ".qwen").exists()


def test_without_its_name_no_client_is_set_up(machine: Machine) -> None:
    ran = machine.check()

    assert ran.code == 3
    assert not list(machine.home.glob(".qwen*"))
