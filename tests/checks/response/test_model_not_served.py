from __future__ import annotations

import pytest

from checks.response.model_not_served import model_not_served
from doctor import facts
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

REFUSED = reply(
    OutcomeKind.MODEL_UNKNOWN,
    "The model `gpt-9` does not exist.",
    status=404,
    request_model="gpt-9",
)
NO_CHANNEL = "当前分组 3.5-不限速 下对于模型 gpt3 无可用渠道 (request id: 2025test)"


def test_the_nearest_served_ids_are_offered_as_ranked_guesses() -> None:
    given: Given = {
        facts.COMPLETION: REFUSED,
        facts.MODELS: models("gpt-5", "gpt-5-mini", "qwen3-8b"),
    }

    finding = only(run_check(model_not_served, connection(model="gpt-9"), given))

    assert "gpt-9" in finding.title
    assert values(finding)[0] == "gpt-5"
    assert all(change.guess for change in finding.changes)
    assert [change.rank for change in finding.changes] == list(range(len(finding.changes)))
    assert "gpt-5" in finding.explanation


def test_ids_that_the_refusal_names_serve_as_the_list() -> None:
    told = reply(
        OutcomeKind.MODEL_UNKNOWN,
        "The model `nope` does not exist. Valid aliases: tiny, alias2.",
        status=404,
        served=("tiny", "alias2"),
    )

    finding = only(run_check(model_not_served, connection(model="nope"), {facts.COMPLETION: told}))

    assert "tiny, alias2" in finding.explanation


def test_the_only_served_model_is_tried() -> None:
    given: Given = {facts.COMPLETION: REFUSED, facts.MODELS: models("tiny")}

    finding = only(run_check(model_not_served, connection(model="gpt-9"), given))

    assert values(finding) == ["tiny"]
    assert finding.changes[0].guess


def test_a_missing_channel_for_an_id_that_is_not_listed_is_a_wrong_id() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, NO_CHANNEL, status=503)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("gpt-3.5-turbo", "qwen3-8b")}

    finding = only(run_check(model_not_served, connection(model="gpt3"), given))

    assert finding.confidence is Confidence.HIGH
    assert "KVD505" in finding.explains


def test_a_family_name_without_a_list_is_likely_no_id() -> None:
    answer = reply(OutcomeKind.NO_CHANNEL, NO_CHANNEL, status=503)

    finding = only(
        run_check(model_not_served, connection(model="gpt3"), {facts.COMPLETION: answer})
    )

    assert finding.confidence is Confidence.MEDIUM
    assert "gpt3 is what a family of models is called" in finding.explanation


def test_an_id_of_another_provider_is_told_by_its_form() -> None:
    answer = reply(OutcomeKind.MODEL_UNKNOWN, "Model Not Exist", status=400)
    target = connection(model="Pro/deepseek-ai/DeepSeek-R1")

    finding = only(run_check(model_not_served, target, {facts.COMPLETION: answer}))

    assert "SiliconFlow" in finding.explanation
    assert "400: Model Not Exist" in finding.explanation
    assert finding.changes == ()


def test_without_a_completion_an_unlisted_id_is_a_warning() -> None:
    given: Given = {facts.MODELS: models("llama-3-70b", "mistral-small")}

    finding = only(run_check(model_not_served, connection(model="qwen3-8b"), given))

    assert finding.severity is Severity.WARNING
    assert finding.confidence is Confidence.MEDIUM
    assert "likely" in finding.explanation


def test_an_error_inside_a_success_is_the_models_if_the_list_confirms_it() -> None:
    answer = reply(OutcomeKind.ERROR_IN_SUCCESS, "The model does not exist")
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("mistral-small")}

    finding = only(run_check(model_not_served, connection(model="qwen3-8b"), given))

    assert "KVD511" in finding.explains


def test_an_answer_is_healthy_whatever_the_list_says() -> None:
    given: Given = {facts.COMPLETION: reply(), facts.MODELS: models("something-else")}

    assert run_check(model_not_served, given=given).status is Status.PASS


def test_a_listed_id_and_a_pattern_that_takes_it_are_served() -> None:
    for listed in ("qwen3-8b", "qwen3-*"):
        assert (
            run_check(model_not_served, given={facts.MODELS: models(listed)}).status is Status.PASS
        )


def test_a_refused_key_tells_nothing_about_the_model() -> None:
    given: Given = {
        facts.COMPLETION: reply(OutcomeKind.KEY_REFUSED, "Invalid token", status=401),
        facts.MODELS: models("mistral-small"),
    }

    assert run_check(model_not_served, given=given).status is Status.UNKNOWN


def test_nothing_heard_is_unknown() -> None:
    assert run_check(model_not_served).status is Status.UNKNOWN


def test_a_comment_in_place_of_the_model_is_left_to_its_own_check() -> None:
    target = connection(model="# Optional override of the model")

    assert run_check(model_not_served, target, {facts.COMPLETION: REFUSED}).findings == ()


def test_no_configured_model_is_not_applicable() -> None:
    result = run_check(model_not_served, connection(model=None), {facts.COMPLETION: reply()})

    assert result.status is Status.SKIPPED


def test_a_refused_model_that_no_source_names_is_told_as_the_server_names_it() -> None:
    finding = only(run_check(model_not_served, connection(model=None), {facts.COMPLETION: REFUSED}))

    assert "gpt-9" in finding.title


def test_a_model_of_another_vendor_is_told_though_nothing_was_asked() -> None:
    target = connection("https://api.openai.com/v1", model="deepseek-chat")

    finding = only(run_check(model_not_served, target, {}))

    assert finding.severity is Severity.WARNING
    assert finding.confidence is Confidence.MEDIUM
    assert "another vendor's" in finding.explanation


@pytest.mark.parametrize(
    ("base", "model"),
    [
        ("https://api.openai.com/v1", "gpt-5.4"),
        ("https://api.openai.com/v1", "my-own-model"),
        ("https://api.deepseek.com", "deepseek-v4-flash"),
        ("https://api.groq.com/openai/v1", "deepseek-r1-distill-llama-70b"),
        ("https://relay.example.com/v1", "claude-sonnet-4-5"),
    ],
)
def test_no_model_is_doubted_that_the_host_may_serve(base: str, model: str) -> None:
    assert not run_check(model_not_served, connection(base, model=model), {}).findings


def test_by_anthropics_protocol_a_host_may_take_claudes_names() -> None:
    target = connection(
        "https://api.deepseek.com/anthropic",
        model="claude-sonnet-4-5",
        protocol=Protocol.ANTHROPIC_MESSAGES,
    )
    assert not run_check(model_not_served, target, {}).findings
