from __future__ import annotations

from checks.tokens.max_tokens_not_positive import max_tokens_not_positive
from checks.tokens.max_tokens_over_window import max_tokens_over_window
from checks.tokens.prompt_and_output_over_window import prompt_and_output_over_window
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

TOO_LONG = OutcomeKind.PROMPT_TOO_LONG


def test_the_numbers_are_split_into_prompt_and_output() -> None:
    answer = reply(
        TOO_LONG,
        "This model's maximum context length is 6900 tokens. However, you requested 7322 tokens"
        " (6298 in the messages, 1024 in the completion). Please reduce the length.",
        status=400,
        limit=6_900,
        requested=7_322,
        request_max_tokens=1_024,
    )

    finding = only(
        run_check(
            prompt_and_output_over_window, connection(max_tokens=1_024), {facts.COMPLETION: answer}
        )
    )

    assert finding.title == "Prompt 6,298 + max_tokens 1,024 are over the window of 6,900"
    assert "6,298 + 1,024 = 7,322: 422 too many." in finding.explanation
    assert values(finding) == [602]


def test_a_budget_of_the_whole_window_leaves_nothing_for_the_prompt() -> None:
    answer = reply(
        TOO_LONG,
        "This model's maximum context length is 32768 tokens. However, you requested 32778 tokens"
        " (10 in the messages, 32768 in the completion).",
        status=400,
        limit=32_768,
        request_max_tokens=32_768,
    )
    target = connection(max_tokens=32_768)

    finding = only(run_check(prompt_and_output_over_window, target, {facts.COMPLETION: answer}))

    assert values(finding) == [24_576]
    assert "leaves 8,192 for the prompt" in finding.explanation
    assert run_check(max_tokens_over_window, target, {facts.COMPLETION: answer}).findings == ()


def test_an_output_over_the_window_is_the_other_fault() -> None:
    answer = reply(
        TOO_LONG,
        "This model's maximum context length is 8192 tokens. However, you requested 32010 tokens"
        " (10 in the messages, 32000 in the completion).",
        status=400,
        limit=8_192,
        request_max_tokens=32_000,
    )
    target = connection(max_tokens=32_000)

    assert (
        run_check(prompt_and_output_over_window, target, {facts.COMPLETION: answer}).findings == ()
    )
    assert values(only(run_check(max_tokens_over_window, target, {facts.COMPLETION: answer})))


def test_a_prompt_over_the_window_has_no_repair_in_max_tokens() -> None:
    answer = reply(
        TOO_LONG,
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens"
        " (112946 in the messages, 10000 in the completion).",
        status=400,
        limit=16_384,
        request_max_tokens=10_000,
    )

    finding = only(
        run_check(
            prompt_and_output_over_window, connection(max_tokens=10_000), {facts.COMPLETION: answer}
        )
    )

    assert finding.title == "The prompt of 112,946 tokens is over the window of 16,384"
    assert "--max-model-len" in finding.explanation
    assert finding.changes == ()


def test_a_negative_number_that_nobody_sent_is_the_prompts_excess() -> None:
    answer = reply(TOO_LONG, "max_tokens must be at least 1, got -186.", status=400)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b", window=4_096)}

    finding = only(run_check(prompt_and_output_over_window, given=given))

    assert finding.title == "The prompt is 186 tokens over the window"
    assert "4,096 − 4,282 = −186" in finding.explanation
    assert finding.changes == ()
    assert run_check(max_tokens_not_positive, given=given).findings == ()


def test_the_excess_is_told_without_a_window_too() -> None:
    answer = reply(TOO_LONG, "max_tokens must be at least 1, got -2815.", status=400)

    finding = only(run_check(prompt_and_output_over_window, given={facts.COMPLETION: answer}))

    assert "2,815" in finding.title
    assert "computed, not configured" in finding.explanation


def test_a_refusal_without_numbers_still_says_what_to_do() -> None:
    answer = reply(TOO_LONG, "context_length_exceeded", status=400)

    finding = only(run_check(prompt_and_output_over_window, given={facts.COMPLETION: answer}))

    assert "--max-model-len" in finding.explanation


def test_an_answer_is_healthy() -> None:
    answer = reply(request_max_tokens=4_096)

    result = run_check(
        prompt_and_output_over_window, connection(max_tokens=4_096), {facts.COMPLETION: answer}
    )

    assert result.status is Status.PASS
