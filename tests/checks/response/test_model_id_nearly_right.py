from __future__ import annotations

from dataclasses import replace

import pytest

from checks.response.model_id_nearly_right import model_id_nearly_right
from checks.response.model_not_served import model_not_served
from doctor import facts
from doctor.connection import Origin, OriginKind, Setting, Shadowed
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

FLAG = Origin(OriginKind.FLAG, "--model")


def refusal(model: str) -> object:
    message = f"The model `{model}` does not exist."
    return reply(OutcomeKind.MODEL_UNKNOWN, message, status=404, request_model=model)


@pytest.mark.parametrize(
    ("asked", "served", "says"),
    [
        ("Qwen3-8B", "qwen3-8b", "capital letters"),
        (' "qwen3-8b" ', "qwen3-8b", "Quotes or blanks"),
        ("Qwen1.5-14B-Chat", "/models/Qwen1.5-14B-Chat", "One is a path"),
        ("/data/models/Qwen2.5-Coder-1.5B", "Qwen2.5-Coder-1.5B", "One is a path"),
        ("Qwen/Qwen3-8B", "qwen3-8b", "vendor before the slash"),
        ("deepseek-v4-pro", "deepseek/deepseek-v4-pro", "vendor before the slash"),
        ("gpt-4o", "gpt-4o-2024-08-06", "date or tag"),
        ("llama3", "llama3:latest", "date or tag"),
        ("Claude 4 Sonnet", "claude-sonnet-4-20250514", "spelling"),
        ("deepseek-chat", "deepseek-v4-flash", "was retired"),
        ("Qwen/Qwen3-8B-Instruct", "Qwen/Qwen3-8B", "No model was released as"),
    ],
)
def test_one_served_id_that_fits_is_the_repair(asked: str, served: str, says: str) -> None:
    given: Given = {
        facts.COMPLETION: refusal(asked),
        facts.MODELS: models("unrelated-model", served),
    }

    finding = only(run_check(model_id_nearly_right, connection(model=asked), given))

    assert values(finding) == [served]
    assert not finding.changes[0].guess
    assert served in finding.title
    assert says in finding.explanation
    assert finding.confidence is Confidence.HIGH


def test_the_name_of_the_weights_is_not_the_served_name() -> None:
    given: Given = {
        facts.COMPLETION: refusal("Qwen/Qwen3-8B"),
        facts.MODELS: models("tiny", root="Qwen/Qwen3-8B"),
    }

    finding = only(run_check(model_id_nearly_right, connection(model="Qwen/Qwen3-8B"), given))

    assert values(finding) == ["tiny"]
    assert "name of the weights" in finding.explanation


def test_several_that_fit_are_guesses() -> None:
    given: Given = {
        facts.COMPLETION: refusal("gpt-4o"),
        facts.MODELS: models("gpt-4o-2024-08-06", "gpt-4o-2024-11-20"),
    }

    finding = only(run_check(model_id_nearly_right, connection(model="gpt-4o"), given))

    assert len(finding.changes) == 2
    assert all(change.guess for change in finding.changes)


def test_another_date_of_the_same_name_is_a_guess() -> None:
    asked = "claude-sonnet-4-20250101"
    given: Given = {
        facts.COMPLETION: refusal(asked),
        facts.MODELS: models("claude-sonnet-4-20250514"),
    }

    finding = only(run_check(model_id_nearly_right, connection(model=asked), given))

    assert finding.changes[0].guess


def test_openrouter_wants_a_vendor() -> None:
    answer = reply(OutcomeKind.MODEL_UNKNOWN, "deepseek-chat is not a valid model ID", status=400)
    target = connection("https://openrouter.ai/api/v1", model="deepseek-chat")

    finding = only(run_check(model_id_nearly_right, target, {facts.COMPLETION: answer}))

    assert values(finding) == ["deepseek/deepseek-chat"]
    assert finding.changes[0].guess
    assert "likely" in finding.title


def test_a_retired_id_without_a_list_is_likely_renamed() -> None:
    answer = reply(OutcomeKind.MODEL_UNKNOWN, "Model Not Exist", status=400)
    target = connection("https://api.deepseek.com", model="deepseek-reasoner")

    finding = only(run_check(model_id_nearly_right, target, {facts.COMPLETION: answer}))

    assert values(finding)[0] == "deepseek-v4-flash"
    assert finding.confidence is Confidence.MEDIUM


def test_it_and_model_not_served_never_both_fire() -> None:
    for served in ("qwen3-8b", "qwen3-4b", "unrelated"):
        given: Given = {facts.COMPLETION: refusal("Qwen3-8B"), facts.MODELS: models(served)}
        fired = [
            run_check(check, connection(model="Qwen3-8B"), given).findings
            for check in (model_id_nearly_right, model_not_served)
        ]
        assert sum(map(bool, fired)) == 1


def test_a_missing_channel_for_another_spelling_is_the_spelling() -> None:
    answer = reply(
        OutcomeKind.NO_CHANNEL,
        "No available channel for model Qwen3-8B under group default (distributor)",
        status=503,
    )
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b")}

    finding = only(run_check(model_id_nearly_right, connection(model="Qwen3-8B"), given))

    assert values(finding) == ["qwen3-8b"]


def test_a_list_alone_says_likely() -> None:
    given: Given = {facts.MODELS: models("qwen3-8b")}

    finding = only(run_check(model_id_nearly_right, connection(model="Qwen3-8B"), given))

    assert finding.confidence is Confidence.MEDIUM
    assert "not proved" in finding.explanation


def test_a_served_alias_passes() -> None:
    given: Given = {
        facts.COMPLETION: reply(model="gpt-4o-2024-08-06"),
        facts.MODELS: models("gpt-4o"),
    }

    result = run_check(model_id_nearly_right, connection(model="gpt-4o"), given)

    assert result.status is Status.PASS


def test_an_id_that_its_vendor_retired_is_told_though_nothing_was_asked() -> None:
    target = connection("https://api.deepseek.com", model="deepseek-chat")

    finding = only(run_check(model_id_nearly_right, target, {}))

    assert finding.severity is Severity.WARNING
    assert "deepseek-v4-flash" in values(finding)
    assert "models list" not in finding.explanation


def test_a_gateway_may_keep_an_id_that_its_vendor_retired() -> None:
    target = connection("https://relay.example.com/v1", model="deepseek-chat")
    assert not run_check(model_id_nearly_right, target, {}).findings


def test_without_a_list_the_id_of_another_source_shows_what_is_missing() -> None:
    asked = replace(
        connection(model="GLM-5.3"),
        model=Setting("GLM-5.3", FLAG, (Shadowed("zai-org/GLM-5.3", FLAG),)),
    )

    finding = only(run_check(model_id_nearly_right, asked, {facts.COMPLETION: refusal("GLM-5.3")}))

    assert values(finding) == ["zai-org/GLM-5.3"]
    assert finding.changes[0].guess
    assert "vendor before the slash" in finding.explanation


def test_without_a_list_another_model_of_another_source_says_nothing() -> None:
    asked = replace(
        connection(model="GLM-5.3"),
        model=Setting("GLM-5.3", FLAG, (Shadowed("zai-org/GLM-4.6", FLAG),)),
    )
    given: Given = {facts.COMPLETION: refusal("GLM-5.3")}
    assert not run_check(model_id_nearly_right, asked, given).findings
