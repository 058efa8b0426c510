"""Homes of Gemini CLI with which nothing is wrong, and what a check says of the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer
from tests.clients.gemini_api import KEY, MODEL, GeminiApi, piece, refusal, streamed
from tests.clients.healthy import assert_silent, write_json
from tests.e2e.api import Api, answer_of
from tests.e2e.backstage import Backstage
from tests.e2e.machine import Machine

SETTINGS, ENV = "~/.gemini/settings.json", "~/.gemini/.env"
BY_KEY = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
Home = Callable[[Machine, LoopbackServer], None]


def env_file(machine: Machine, server: LoopbackServer) -> None:
    write_json(machine, SETTINGS, BY_KEY)
    text = f"GEMINI_API_KEY={KEY}\nGOOGLE_GEMINI_BASE_URL={server.origin}\nGEMINI_MODEL={MODEL}\n"
    machine.write(ENV, text, 0o600)


def shell(machine: Machine, server: LoopbackServer) -> None:
    write_json(machine, SETTINGS, {**BY_KEY, "model": {"name": MODEL}})
    machine.variables |= {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": f"{server.origin}/"}


def beside_an_old_login(machine: Machine, server: LoopbackServer) -> None:
    env_file(machine, server)
    write_json(machine, "~/.gemini/oauth_creds.json", {"access_token": "ya29.made-up"})


HOMES: list[Home] = [env_file, shell, beside_an_old_login]


@pytest.mark.parametrize("asked", [(), ("gemini-cli",)], ids=["discovered", "named"])
@pytest.mark.parametrize("build", HOMES, ids=lambda build: build.__name__)
def test_a_healthy_home_is_silent(
    build: Home, asked: tuple[str, ...], machine: Machine, stage: Backstage
) -> None:
    build(machine, stage.open(GeminiApi()))
    assert_silent(machine, "gemini-cli", *asked)


def test_a_google_login_alone_makes_no_target(machine: Machine) -> None:
    write_json(machine, SETTINGS, {"security": {"auth": {"selectedType": "oauth-personal"}}})
    write_json(machine, "~/.gemini/oauth_creds.json", {"access_token": "ya29.made-up"})

    ran = machine.check()

    assert ran.code == 3
    assert "ya29.made-up" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (lambda: answer_of(200, {"choices": []}), "KVD510"),
        (lambda: streamed(piece("", "MAX_TOKENS")), None),
        (lambda: refusal(429, "Resource has been exhausted", "RESOURCE_EXHAUSTED"), "KVD331"),
        (lambda: refusal(500, "Internal error encountered.", "INTERNAL"), None),
        (lambda: streamed({"error": {"code": 503, "message": "The model is overloaded."}}), None),
        (lambda: answer_of(200, piece("pong", "STOP")), None),
    ],
)
def test_whatever_comes_back_no_check_crashes(
    answer: Callable[[], Answer], code: str | None, machine: Machine, stage: Backstage
) -> None:
    env_file(machine, stage.open(GeminiApi(generate=answer)))

    report = machine.check().report

    assert [c for c in report["checks"] if c["status"] in ("crashed", "timeout")] == []
    found = {finding["code"] for finding in report["findings"]}
    assert code is None or code in found, found


def test_a_version_in_the_base_is_taken_out(machine: Machine, stage: Backstage) -> None:
    env_file(machine, stage.open(GeminiApi()))
    path = machine.home / ".gemini" / ".env"
    path.write_text(path.read_text().replace("\nGEMINI_MODEL", "/v1beta\nGEMINI_MODEL"))

    report = machine.check().report

    assert report["diagnosis"]["root_causes"] == ["KVD203"]
    assert report["diagnosis"]["proved"]


def test_a_wrong_key_is_the_key(machine: Machine, stage: Backstage) -> None:
    env_file(machine, stage.open(GeminiApi(key="sk-made-up-another-one-0000")))
    path = machine.home / ".gemini" / ".env"
    path.write_text(path.read_text().replace(KEY, "sk-made-up-key-of-this-0000"))

    report = machine.check().report

    assert report["diagnosis"]["root_causes"] == ["KVD111"]


def test_a_wrong_model_is_the_model(machine: Machine, stage: Backstage) -> None:
    env_file(machine, stage.open(GeminiApi()))
    path = machine.home / ".gemini" / ".env"
    path.write_text(path.read_text().replace(MODEL, "gemini-2.5-por"))

    report = machine.check().report

    assert report["diagnosis"]["root_causes"] == ["KVD501"]
    assert report["diagnosis"]["proved"]


def test_a_login_ignores_the_base(machine: Machine, stage: Backstage) -> None:
    env_file(machine, stage.open(GeminiApi()))
    write_json(machine, SETTINGS, {"security": {"auth": {"selectedType": "oauth-personal"}}})

    report = machine.check("gemini-cli", "--offline").report

    assert "KVD408" in {finding["code"] for finding in report["findings"]}


def test_a_gateway_that_wants_the_key_as_bearer(machine: Machine, stage: Backstage) -> None:
    env_file(machine, stage.open(GeminiApi(bearer_only=True)))

    report = machine.check().report

    assert report["diagnosis"]["root_causes"] == ["KVD114"]
    assert report["diagnosis"]["proved"]
    [finding] = [f for f in report["findings"] if f["code"] == "KVD114"]
    assert "GEMINI_API_KEY_AUTH_MECHANISM=bearer" in finding["explanation"]


def test_what_that_takes_makes_it_well(machine: Machine, stage: Backstage) -> None:
    env_file(machine, stage.open(GeminiApi(bearer_only=True)))
    machine.variables["GEMINI_API_KEY_AUTH_MECHANISM"] = "bearer"

    assert_silent(machine, "gemini-cli")


def test_a_server_that_does_not_speak_it(machine: Machine, stage: Backstage) -> None:
    server = stage.open(Api(key=None))
    env_file(machine, server)

    report = machine.check().report

    [finding] = [f for f in report["findings"] if f["code"] == "KVD214"]
    assert "Google's own API" in finding["explanation"]
    assert [c for c in report["checks"] if c["status"] in ("crashed", "timeout")] == []
