from __future__ import annotations

import pytest

from checks.response.model_is_placeholder import model_is_placeholder
from checks.response.model_not_served import model_not_served
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Hop, Severity, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

UUID = "00000000-1111-2222-3333-444444444444"
UNKNOWN = reply(OutcomeKind.MODEL_UNKNOWN, "no such model", status=404)


@pytest.mark.parametrize(
    "model", ["your-target-model", "gpt-xxx", "<model>", "你的ModelID", "None"]
)
def test_a_text_that_was_to_be_replaced_fires_without_any_request(model: str) -> None:
    finding = only(run_check(model_is_placeholder, connection(model=model)))

    assert model in finding.title
    assert finding.hop is Hop.CONFIGURATION
    assert "OPENAI_MODEL" in finding.explanation


def test_an_empty_model_says_where_it_is_set() -> None:
    finding = only(run_check(model_is_placeholder, connection(model="")))

    assert finding.title == "The request names no model"
    assert "OPENAI_MODEL, environment is set and empty" in finding.explanation


def test_it_fires_behind_a_refused_key() -> None:
    given: Given = {facts.COMPLETION: reply(OutcomeKind.KEY_REFUSED, "Invalid token", status=401)}

    only(run_check(model_is_placeholder, connection(model="your-target-model"), given))


def test_the_only_served_model_is_the_repair_and_of_several_the_first_are_guesses() -> None:
    target = connection(model="your-target-model")
    one: Given = {facts.COMPLETION: UNKNOWN, facts.MODELS: models("qwen3-8b", "bge-m3")}
    many: Given = {facts.COMPLETION: UNKNOWN, facts.MODELS: models("a-1", "b-2", "c-3", "d-4")}

    certain = only(run_check(model_is_placeholder, target, one))
    guessed = only(run_check(model_is_placeholder, target, many))

    assert values(certain) == ["qwen3-8b"]
    assert not certain.changes[0].guess
    assert values(guessed) == ["a-1", "b-2", "c-3"]
    assert all(change.guess for change in guessed.changes)


def test_an_internal_id_fires_once_it_is_refused() -> None:
    answer = reply(OutcomeKind.MODEL_UNKNOWN, f"{UUID} is not a valid model ID", status=400)
    target = connection(model=UUID)

    finding = only(run_check(model_is_placeholder, target, {facts.COMPLETION: answer}))

    assert "internal id" in finding.title
    assert run_check(model_not_served, target, {facts.COMPLETION: answer}).findings == ()
    assert run_check(model_is_placeholder, target).findings == ()


def test_a_server_that_asks_for_a_model_nobody_configured_is_a_warning() -> None:
    answer = reply(
        OutcomeKind.MODEL_MISSING,
        "Model name not specified, model name cannot be empty",
        status=400,
        request_model=None,
    )

    finding = only(
        run_check(model_is_placeholder, connection(model=None), {facts.COMPLETION: answer})
    )

    assert finding.severity is Severity.WARNING
    assert "Model name not specified" in finding.explanation


@pytest.mark.parametrize("model", ["your-target-model", UUID, ""])
def test_what_a_server_answers_to_is_no_placeholder(model: str) -> None:
    result = run_check(model_is_placeholder, connection(model=model), {facts.COMPLETION: reply()})

    assert result.status is Status.PASS


def test_a_listed_name_is_no_placeholder() -> None:
    given: Given = {facts.MODELS: models("model")}

    assert run_check(model_is_placeholder, connection(model="model"), given).status is Status.PASS


def test_an_ordinary_model_passes_without_evidence() -> None:
    assert run_check(model_is_placeholder).status is Status.PASS


@pytest.mark.parametrize("model", ["default", "local-model", "string", "tgi"])
def test_a_name_for_whatever_is_loaded_fires_once_it_is_refused(model: str) -> None:
    target = connection(model=model)
    told = reply(
        OutcomeKind.MODEL_UNKNOWN, "Model not found.", status=404, served=("gemma-3-27b", "qwen3")
    )

    finding = only(run_check(model_is_placeholder, target, {facts.COMPLETION: told}))

    assert values(finding) == ["gemma-3-27b", "qwen3"]
    assert "whatever model is loaded" in finding.explanation
    assert run_check(model_not_served, target, {facts.COMPLETION: told}).findings == ()
    assert run_check(model_is_placeholder, target).findings == ()
    assert run_check(model_is_placeholder, target, {facts.COMPLETION: reply()}).findings == ()
