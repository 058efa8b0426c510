from __future__ import annotations

import pytest

from checks.launch.engine_not_ready import engine_not_ready
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.engine import Starting
from doctor.facts.network import TransportFault
from doctor.models import Hop, Severity, Status
from tests.checks.engines import NONE, Given, engine
from tests.checks.response.replies import only, reply
from tests.enginemetrics.texts import line, metrics
from tests.kit import run_check

REFUSED = reply(OutcomeKind.TRANSPORT, status=None, fault=TransportFault.REFUSED)
PROCESS = Starting(4711, "vllm serve", 34.2)


def status(given: Given) -> Status:
    return run_check(engine_not_ready, given=given).status


def test_an_engine_that_still_loads_its_model() -> None:
    given: Given = {facts.COMPLETION: REFUSED, facts.STARTING: (PROCESS,), facts.ENGINE: NONE}
    finding = only(run_check(engine_not_ready, given=given))

    assert finding.title == "vLLM is not up yet: process 4711 runs and does not listen"
    assert "started 34 s ago" in finding.explanation
    assert finding.hop is Hop.TCP
    assert "KVD311" in finding.explains


def test_one_that_loads_for_an_hour_may_stand_still() -> None:
    process = Starting(4711, "vllm serve", 3_700)
    given: Given = {facts.COMPLETION: REFUSED, facts.STARTING: (process,), facts.ENGINE: NONE}
    assert "stands still" in only(run_check(engine_not_ready, given=given)).explanation


def test_where_no_engine_is_being_started_the_refusal_speaks_for_itself() -> None:
    given: Given = {facts.COMPLETION: REFUSED, facts.STARTING: (), facts.ENGINE: NONE}
    assert status(given) is Status.PASS


def test_processes_are_looked_for_only_after_a_refusal() -> None:
    given: Given = {facts.COMPLETION: reply(), facts.STARTING: (PROCESS,), facts.ENGINE: NONE}
    assert status(given) is Status.PASS


@pytest.mark.parametrize(
    "message",
    [
        "Loading model",
        "Model qwen3-8b is currently loading",
        "The server is still starting",
    ],
)
def test_a_server_that_says_that_it_is_loading(message: str) -> None:
    given: Given = {facts.COMPLETION: reply(OutcomeKind.SERVER_ERROR, message, status=503)}
    finding = only(run_check(engine_not_ready, given=given))
    assert finding.title == "The server is still loading its model"
    assert message in finding.explanation


def test_another_503_is_not_about_loading() -> None:
    message = "No available channel for model qwen3-8b"
    given: Given = {facts.COMPLETION: reply(OutcomeKind.NO_CHANNEL, message, status=503)}
    assert status(given) is Status.PASS


def test_a_front_whose_engine_has_died() -> None:
    given: Given = {
        facts.COMPLETION: reply(OutcomeKind.SERVER_ERROR, "EngineCore", status=500),
        facts.ENGINE: engine(health=503, load=3),
    }
    finding = only(run_check(engine_not_ready, given=given))
    assert finding.title == "The engine is dead: /health answers 503"
    assert "3 requests are in it" in finding.explanation
    assert finding.severity is Severity.ERROR


def test_an_engine_that_sleeps() -> None:
    asleep = line("vllm:engine_sleep_state", 1, sleep_state="weights_offloaded")
    given: Given = {
        facts.COMPLETION: reply(),
        facts.ENGINE: engine(),
        facts.METRICS: metrics(more=[asleep]),
    }
    finding = only(run_check(engine_not_ready, given=given))
    assert "http://127.0.0.1:8000/wake_up" in finding.explanation
    assert finding.severity is Severity.WARNING


def test_an_engine_that_serves() -> None:
    awake = line("vllm:engine_sleep_state", 1, sleep_state="awake")
    given: Given = {
        facts.COMPLETION: reply(),
        facts.ENGINE: engine(health=200),
        facts.METRICS: metrics(more=[awake]),
    }
    assert status(given) is Status.PASS
