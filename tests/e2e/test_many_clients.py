"""Several programs with the same settings: one set of requests, one count, each its own verdict."""

from __future__ import annotations

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi

from .backstage import Backstage
from .machine import Machine, Ran

MODEL = "deepseek-v4-flash"
# No header of their own, and the same path of the models list.
ALIKE = ("langchain", "llama-index", "aider", "dify", "roo-code")


def settings(machine: Machine, clients: tuple[str, ...], base: str) -> None:
    tables = (
        f'[targets.{client}]\nclient = "{client}"\nbase_url = "{base}"\n'
        f'key_env = "SHOP_KEY"\nmodel = "{MODEL}"\n'
        for client in clients
    )
    machine.write("kvdoctor.toml", "\n".join(tables))
    machine.variables["SHOP_KEY"] = GOOD


def billable(server: LoopbackServer) -> list[str]:
    return [request.path for request in server.requests if request.method == "POST"]


def counted(ran: Ran) -> tuple[int, int]:
    return ran.report["requests"]["free"], ran.report["requests"]["billable"]


def test_equal_programs_cost_one_completion(machine: Machine, stage: Backstage) -> None:
    server = stage.open(NewApi())
    settings(machine, ALIKE, f"{server.origin}/api/v1")
    ran = machine.check()

    assert ran.code == 0
    assert {target["id"] for target in ran.report["targets"]} == set(ALIKE)
    assert billable(server) == ["/api/v1/chat/completions"]
    # The list with the key, and once with one that is made up.
    assert counted(ran) == (2, 1)
    assert len(server.requests) == 3


def test_one_search_asks_for_what_several_programs_need(machine: Machine, stage: Backstage) -> None:
    server = stage.open(NewApi())
    settings(machine, ALIKE, f"{server.origin}/api")
    ran = machine.check()
    verdicts = [target["diagnosis"] for target in ran.report["targets"]]

    assert len(verdicts) == len(ALIKE)
    assert all(verdict["proved"] for verdict in verdicts)
    assert {cause for verdict in verdicts for cause in verdict["root_causes"]} == {"KVD201"}
    assert billable(server) == ["/api/chat/completions", "/api/v1/chat/completions"]
    assert counted(ran) == (len(server.requests) - 2, 2)


def test_a_program_that_sends_headers_of_its_own_is_asked_for_itself(
    machine: Machine, stage: Backstage
) -> None:
    server = stage.open(NewApi())
    clients = ("langchain", "openai-sdk", "openai-sdk-node")
    settings(machine, clients, f"{server.origin}/api/v1")
    ran = machine.check()

    assert ran.code == 0
    assert len(billable(server)) == counted(ran)[1] == len(clients)
