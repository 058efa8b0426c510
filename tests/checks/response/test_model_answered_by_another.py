from __future__ import annotations

import pytest

from checks.response.model_answered_by_another import model_answered_by_another
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Severity, Status
from tests.checks.response.replies import Given, models, only, reply
from tests.kit import run_check


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("qwen3-8b", "llama-3-8b"),
        ("qwen3-8b", "tiny"),
        ("gpt-4o", "gpt-4o-mini"),
        ("claude-opus-4", "claude-sonnet-4-20250514"),
        ("qwen3-8b", "qwen3-4b"),
    ],
)
def test_another_model_is_a_warning_that_names_both(asked: str, answered: str) -> None:
    given: Given = {facts.COMPLETION: reply(request_model=asked, model=answered)}

    finding = only(run_check(model_answered_by_another, given=given))

    assert asked in finding.title
    assert answered in finding.title
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("qwen3-8b", "Qwen/Qwen3-8B"),
        ("qwen3-8b", "/models/Qwen3-8B-AWQ"),
        ("deepseek-chat", "deepseek-v4-flash"),
        ("gemini-flash-latest", "gemini-2.5-flash-preview-09-2025"),
        ("openai/gpt-4o", "gpt-4o-2024-11-20"),
        ("my-coder", "qwen3-8b"),
        ("auto", "claude-sonnet-4"),
        ("qwen3-8b", ""),
    ],
)
def test_the_same_model_under_another_name_is_healthy(asked: str, answered: str) -> None:
    given: Given = {facts.COMPLETION: reply(request_model=asked, model=answered or None)}

    assert run_check(model_answered_by_another, given=given).findings == ()


def test_the_weights_behind_a_served_name_are_that_model() -> None:
    given: Given = {
        facts.COMPLETION: reply(request_model="qwen3-8b", model="/srv/checkpoint-1200"),
        facts.MODELS: models("qwen3-8b", root="/srv/checkpoint-1200"),
    }

    assert run_check(model_answered_by_another, given=given).status is Status.PASS


def test_weights_without_a_family_name_excuse_no_other_model() -> None:
    given: Given = {
        facts.COMPLETION: reply(request_model="qwen3-8b", model="llama-3-8b"),
        facts.MODELS: models("qwen3-8b", root="/srv/checkpoint-1200"),
    }

    only(run_check(model_answered_by_another, given=given))


def test_a_failed_request_names_no_model() -> None:
    given: Given = {facts.COMPLETION: reply(OutcomeKind.MODEL_UNKNOWN, "no", status=404)}

    assert run_check(model_answered_by_another, given=given).status is Status.SKIPPED


def test_two_names_of_the_same_weights_are_one_model() -> None:
    given: Given = {
        facts.COMPLETION: reply(request_model="qwen3-8b", model="tiny"),
        facts.MODELS: models("tiny", "qwen3-8b", root="/models/tiny"),
    }

    assert run_check(model_answered_by_another, given=given).findings == ()


def test_a_text_of_a_guide_is_no_alias() -> None:
    answer = reply(request_model="any-model-name", model="gemma-3-1b-it-qat:2")

    finding = only(run_check(model_answered_by_another, given={facts.COMPLETION: answer}))

    assert "gemma-3-1b-it-qat:2" in finding.title
    assert "text of a guide" in finding.explanation


@pytest.mark.parametrize(
    ("asked", "answered", "listed"),
    [
        ("any-model-name", "any-model-name", ()),
        ("model", "qwen3-8b", ("model",)),
        ("local-model", "gemma-3-1b", ()),
        ("default", "gemma-3-1b", ()),
    ],
)
def test_a_name_that_is_served_or_asks_for_whatever_is_loaded_is_healthy(
    asked: str, answered: str, listed: tuple[str, ...]
) -> None:
    given: Given = {facts.COMPLETION: reply(request_model=asked, model=answered)}
    if listed:
        given[facts.MODELS] = models(*listed)

    assert run_check(model_answered_by_another, given=given).findings == ()
