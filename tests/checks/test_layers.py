"""Which layer owns a fault: the gateway, its route, or the engine that the user named."""

from __future__ import annotations

from checks.network.upstream_unreachable import upstream_unreachable
from checks.response.model_answered_by_another import model_answered_by_another
from checks.response.model_without_route import model_without_route
from checks.tokens.limits_disagree import limits_disagree
from doctor import facts
from doctor.facts.answers import OutcomeKind, Reply, ServedModel
from doctor.facts.engine import Direct
from doctor.facts.network import TransportFault
from doctor.models import Hop, Status
from tests.checks.engines import Given, behind
from tests.checks.network.world import examine, one, variables
from tests.checks.response.replies import models, only, reply
from tests.kit import run_check

K = OutcomeKind
ENGINE = "http://10.0.0.5:8000/v1"
ANSWERS = reply(model="tiny", ms_total=12)
DOWN = reply(K.TRANSPORT, status=None, fault=TransportFault.REFUSED, fault_text="refused")
FAILED: Given = {facts.COMPLETION: reply(K.UPSTREAM_UNREACHABLE, "Connection error.", status=502)}


def asked(answer: Reply) -> Given:
    return {facts.DIRECT: Direct(ENGINE, answer)}


def test_an_engine_that_answers_clears_itself() -> None:
    finding = one(examine(variables(), {**FAILED, **asked(ANSWERS)}), "KVD330")

    assert "the engine at http://10.0.0.5:8000/v1 answers (12 ms)" in finding.explanation
    assert "the gateway's route to it" in finding.explanation
    assert finding.hop is Hop.ROUTE
    assert any(each.source == "engine, asked directly" for each in finding.evidence)


def test_an_engine_that_is_down_owns_the_fault() -> None:
    finding = one(examine(variables(), {**FAILED, **asked(DOWN)}), "KVD330")

    assert "gives no answer either: refused. The fault lies there." in finding.explanation
    assert finding.hop is Hop.ENGINE


def test_an_engine_that_refuses_is_quoted() -> None:
    refusal = reply(K.KEY_REFUSED, "Unauthorized", status=401)
    finding = one(examine(variables(), {**FAILED, **asked(refusal)}), "KVD330")
    assert "answers 401: Unauthorized." in finding.explanation


def test_an_engine_that_was_asked_without_a_key_is_up() -> None:
    closed = reply(K.KEY_MISSING, "Unauthorized", status=401)
    finding = one(examine(variables(), {**FAILED, **asked(closed)}), "KVD330")
    assert "is up and wants a key (401)" in finding.explanation


def test_without_a_named_engine_nothing_is_said_of_it() -> None:
    assert "directly" not in one(examine(variables(), FAILED), "KVD330").explanation


OTHER: Given = {facts.COMPLETION: reply(model="llama-3.1-8b-instruct")}


def test_the_gateways_name_for_the_named_engine_is_no_other_model() -> None:
    given = {**OTHER, **asked(reply(model="llama-3.1-8b-instruct"))}
    assert run_check(model_answered_by_another, given=given).status is Status.PASS


def test_an_answer_from_another_engine_than_the_named_one() -> None:
    given = {**OTHER, **asked(reply(model="qwen3-8b"))}
    finding = only(run_check(model_answered_by_another, given=given))
    assert "calls itself qwen3-8b: the gateway's route leads to another one" in finding.explanation


def test_a_model_without_a_route_that_the_engine_serves() -> None:
    message = "No available channel for model qwen3-8b under group default"
    given: Given = {
        facts.COMPLETION: reply(K.NO_CHANNEL, message, status=503),
        facts.MODELS: models("qwen3-8b"),
        **asked(ANSWERS),
    }
    finding = only(run_check(model_without_route, given=given))
    assert "the engine at http://10.0.0.5:8000/v1 answers" in finding.explanation


def test_a_window_that_the_gateway_tells_and_the_engine_has_not() -> None:
    given: Given = {
        facts.MODELS: models("qwen3-8b", window=32_768),
        facts.ENGINE: behind(ServedModel("tiny", window=8_192)),
    }
    finding = only(run_check(limits_disagree, given=given))

    assert finding.title == (
        "The gateway tells a window of 32,768, the engine behind it serves 8,192"
    )
    assert finding.hop is Hop.ROUTE


def test_windows_that_agree_or_are_not_told() -> None:
    for told in (None, 8_192):
        given: Given = {
            facts.MODELS: models("qwen3-8b", window=told),
            facts.ENGINE: behind(ServedModel("tiny", window=8_192)),
        }
        assert run_check(limits_disagree, given=given).status is Status.SKIPPED


def test_the_check_alone_runs_without_any_of_it() -> None:
    assert run_check(upstream_unreachable, given={}).status is Status.UNKNOWN
