from __future__ import annotations

import pytest

from checks.response.model_id_nearly_right import model_id_nearly_right
from checks.response.model_prefix_of_client_library import model_prefix_of_client_library
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

UNKNOWN = reply(OutcomeKind.MODEL_UNKNOWN, "The model does not exist.", status=404)


@pytest.mark.parametrize("prefix", ["openai/", "hosted_vllm/", "litellm_proxy/", "azure/"])
def test_the_prefix_is_dropped_where_the_bare_id_is_served(prefix: str) -> None:
    target = connection(model=f"{prefix}qwen3-8b")
    given: Given = {facts.COMPLETION: UNKNOWN, facts.MODELS: models("qwen3-8b", "gpt-4o")}

    finding = only(run_check(model_prefix_of_client_library, target, given))

    assert values(finding) == ["qwen3-8b"]
    assert not finding.changes[0].guess
    assert f'"{prefix}"' in finding.title
    assert run_check(model_id_nearly_right, target, given).findings == ()


def test_a_nested_prefix_is_taken_off_as_far_as_the_server_wants() -> None:
    target = connection(model="litellm_proxy/openai/gpt-4o")
    given: Given = {facts.COMPLETION: UNKNOWN, facts.MODELS: models("openai/gpt-4o")}

    finding = only(run_check(model_prefix_of_client_library, target, given))

    assert values(finding) == ["openai/gpt-4o"]


def test_without_a_list_dropping_it_is_a_guess() -> None:
    target = connection(model="openai/qwen3-8b")

    finding = only(run_check(model_prefix_of_client_library, target, {facts.COMPLETION: UNKNOWN}))

    assert values(finding) == ["qwen3-8b"]
    assert finding.changes[0].guess
    assert finding.confidence is Confidence.MEDIUM
    assert "likely" in finding.title


def test_litellm_without_a_provider_wants_the_prefix() -> None:
    answer = reply(
        OutcomeKind.BAD_REQUEST,
        "litellm.BadRequestError: LLM Provider NOT provided. Pass in the LLM provider you are"
        " trying to call. You passed model=tiny",
        status=400,
    )

    finding = only(run_check(model_prefix_of_client_library, given={facts.COMPLETION: answer}))

    assert "without its provider" in finding.title
    assert '"openai/"' in finding.explanation
    assert finding.changes == ()


def test_a_served_id_with_a_slash_is_healthy() -> None:
    target = connection(model="openai/gpt-4o")
    given: Given = {facts.COMPLETION: reply(), facts.MODELS: models("openai/gpt-4o")}

    assert run_check(model_prefix_of_client_library, target, given).status is Status.PASS


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("litellm/step-flash", "step-flash"),
        ("custom/qwen3-8b", "qwen3-8b"),
        ("openrouter/stepfun/step-3.5-flash", "stepfun/step-3.5-flash"),
        ("openai/gpt-4o", "gpt-*"),
    ],
)
def test_the_bare_id_is_proposed_where_the_server_takes_it(asked: str, listed: str) -> None:
    answer = reply(OutcomeKind.MODEL_UNKNOWN, "Invalid model name passed in", status=400)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models(listed, "another-model")}

    finding = only(run_check(model_prefix_of_client_library, connection(model=asked), given))

    assert values(finding) == [asked.partition("/")[2]]
