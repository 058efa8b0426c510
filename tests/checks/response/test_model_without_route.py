from __future__ import annotations

import pytest

from checks.response.model_is_placeholder import model_is_placeholder
from checks.response.model_not_served import model_not_served
from checks.response.model_without_route import model_without_route
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check


@pytest.mark.parametrize(
    "message",
    [
        "No available channel for model qwen3-8b under group svip (distributor) (request id: 1)",
        "分组 svip 下模型 qwen3-8b 无可用渠道（distributor）",
        "当前分组 svip 下对于模型 qwen3-8b 无可用渠道 (request id: 1)",
        "分组 svip 下模型 qwen3-8b 的可用渠道不存在（retry）",
    ],
)
def test_a_listed_model_without_a_channel_names_the_group(message: str) -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, message, status=503)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b", "gpt-4o")}

    finding = only(run_check(model_without_route, given=given))

    assert finding.title == 'No channel serves "qwen3-8b" to group svip'
    assert "spelled right" in finding.explanation
    assert finding.confidence is Confidence.HIGH
    assert finding.changes == ()
    assert run_check(model_not_served, given=given).findings == ()


def test_without_a_list_the_spelling_is_not_proved() -> None:
    answer = reply(
        OutcomeKind.NO_CHANNEL, "当前分组 default 下对于模型 qwen3-8b 无可用渠道", status=503
    )

    finding = only(run_check(model_without_route, given={facts.COMPLETION: answer}))

    assert finding.confidence is Confidence.MEDIUM
    assert "not proved" in finding.explanation


def test_an_answer_that_names_no_model_says_so() -> None:
    answer = reply(
        OutcomeKind.NO_CHANNEL,
        "当前分组 svip 下对于模型  无可用渠道 (request id: 1)",
        status=503,
        request_model=None,
    )
    target = connection(model=None)

    finding = only(run_check(model_without_route, target, {facts.COMPLETION: answer}))

    assert finding.title == "The gateway has no channel for group svip"
    assert "no model" in finding.explanation
    assert run_check(model_is_placeholder, target, {facts.COMPLETION: answer}).findings == ()


def test_another_listed_id_of_the_same_model_is_a_guess() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, "No available channel", status=503)
    given: Given = {
        facts.COMPLETION: answer,
        facts.MODELS: models("gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-mini"),
    }

    finding = only(run_check(model_without_route, connection(model="gpt-4o"), given))

    assert values(finding) == ["gpt-4o-2024-08-06"]
    assert finding.changes[0].guess


def test_a_listed_model_that_is_unknown_behind_the_gateway_is_the_routes_fault() -> None:
    answer = reply(
        OutcomeKind.MODEL_UNKNOWN,
        "litellm.NotFoundError: OpenAIException - The model `qwen` does not exist. Valid aliases:"
        " tiny.",
        status=404,
        served=("tiny",),
    )
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b")}

    finding = only(run_check(model_without_route, given=given))

    assert "route leads nowhere" in finding.title
    assert "tiny" in finding.explanation
    assert finding.changes == ()


def test_a_model_without_a_price_has_no_route() -> None:
    answer = reply(
        OutcomeKind.SERVER_ERROR, "model price error", status=500, error_code="model_price_error"
    )
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b")}

    only(run_check(model_without_route, given=given))


def test_a_switchers_own_broken_circuit_is_not_the_models() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, "所有供应商已熔断，无可用渠道", status=503)

    result = run_check(model_without_route, given={facts.COMPLETION: answer})

    assert result.findings == ()


def test_an_answer_passes() -> None:
    assert run_check(model_without_route, given={facts.COMPLETION: reply()}).status is Status.PASS


TOLD = "当前分组 default 下对于模型 gpt-5 无可用渠道 (request id: 1)"


def test_an_id_that_the_list_lacks_has_no_channel_where_the_gateway_says_so() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, TOLD, status=503)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("gpt-4o", "qwen3-8b")}

    finding = only(run_check(model_without_route, connection(model="gpt-5"), given))

    assert finding.title == 'No channel serves "gpt-5" to group default'
    assert "does not have the id either: gpt-4o, qwen3-8b" in finding.explanation
    assert finding.changes == ()
    assert run_check(model_not_served, connection(model="gpt-5"), given).findings == ()


def test_a_slip_of_the_pen_is_no_missing_channel() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, TOLD, status=503)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("deepseek-chat", "gpt-4o")}
    target = connection(model="deepseek-caht")

    assert values(only(run_check(model_not_served, target, given)))[0] == "deepseek-chat"
    assert run_check(model_without_route, target, given).findings == ()


def test_the_same_model_by_another_id_is_nearly_right() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, TOLD, status=503)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("anthropic/claude-sonnet-4.5")}

    found = run_check(
        model_without_route, connection(model="claude-sonnet-4-5-20250929"), given
    ).findings

    assert found == ()
