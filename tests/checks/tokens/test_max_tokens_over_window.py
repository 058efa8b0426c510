from __future__ import annotations

import pytest

from checks.tokens.max_tokens_over_window import max_tokens_over_window
from checks.tokens.prompt_and_output_over_window import prompt_and_output_over_window
from doctor import facts
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

REFUSED = OutcomeKind.MAX_TOKENS_REFUSED


def test_over_the_window_the_proposal_leaves_room_for_a_prompt() -> None:
    answer = reply(
        REFUSED,
        "max_tokens=65536 cannot be greater than max_model_len=32768. Please request fewer output"
        " tokens. (parameter=max_tokens, value=65536)",
        status=400,
        limit=32_768,
        requested=65_536,
        request_max_tokens=65_536,
    )
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b", window=32_768)}

    finding = only(run_check(max_tokens_over_window, connection(max_tokens=65_536), given))

    assert finding.title == "max_tokens 65,536 is over the window of 32,768"
    assert values(finding) == [24_576]
    assert not finding.changes[0].guess
    assert "Window 32,768; max_tokens 24,576 leaves 8,192 for the prompt." in finding.explanation


def test_over_a_cap_the_proposal_is_the_cap() -> None:
    answer = reply(
        REFUSED,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        status=400,
        limit=8_192,
        request_max_tokens=32_000,
    )

    finding = only(
        run_check(max_tokens_over_window, connection(max_tokens=32_000), {facts.COMPLETION: answer})
    )

    assert finding.title == "max_tokens 32,000 is over the model's output cap of 8,192"
    assert values(finding) == [8_192]


def test_a_gateways_wrapping_of_the_message_is_read() -> None:
    answer = reply(
        REFUSED,
        "litellm.BadRequestError: OpenAIException - max_tokens=4096 cannot be greater than"
        " max_model_len=2048.",
        status=400,
        limit=2_048,
        request_max_tokens=4_096,
    )

    finding = only(
        run_check(max_tokens_over_window, connection(max_tokens=4_096), {facts.COMPLETION: answer})
    )

    assert values(finding) == [1_024]


def test_a_refusal_without_a_known_budget_names_the_limit_and_the_clients_setting() -> None:
    answer = reply(
        REFUSED,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        status=400,
        limit=8_192,
    )
    target = connection(client="anthropic-sdk", protocol=Protocol.ANTHROPIC_MESSAGES)

    finding = only(run_check(max_tokens_over_window, target, {facts.COMPLETION: answer}))

    assert "8,192" in finding.title
    assert "CLAUDE_CODE_MAX_OUTPUT_TOKENS" in finding.explanation
    assert finding.changes == ()


def test_a_cap_over_what_the_doctor_sent_points_at_the_way() -> None:
    answer = reply(
        OutcomeKind.BAD_REQUEST,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        status=400,
    )

    finding = only(run_check(max_tokens_over_window, given={facts.COMPLETION: answer}))

    assert "8,192" in finding.title
    assert "The doctor sent 16" in finding.explanation


def test_a_cap_below_the_doctors_own_number_is_not_said_of_the_client() -> None:
    answer = reply(
        OutcomeKind.MAX_TOKENS_REFUSED,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8]",
        status=400,
        limit=8,
        requested=16,
    )

    finding = only(run_check(max_tokens_over_window, given={facts.COMPLETION: answer}))

    assert finding.title == "The server takes a max_tokens of at most 8"


def test_another_bad_request_is_not_about_the_budget() -> None:
    answer = reply(OutcomeKind.BAD_REQUEST, "messages: field required", status=400)

    result = run_check(max_tokens_over_window, given={facts.COMPLETION: answer})

    assert result.status is Status.SKIPPED


def test_over_the_listed_window_it_is_likely_refused() -> None:
    given: Given = {facts.MODELS: models("qwen3-8b", window=8_192)}

    finding = only(run_check(max_tokens_over_window, connection(max_tokens=32_768), given))

    assert finding.severity is Severity.ERROR
    assert finding.confidence is Confidence.MEDIUM
    assert "likely" in finding.explanation


def test_over_the_listed_window_and_answered_it_is_a_warning() -> None:
    answer = reply(request_max_tokens=32_768)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b", window=8_192)}

    finding = only(run_check(max_tokens_over_window, connection(max_tokens=32_768), given))

    assert finding.severity is Severity.WARNING


def test_prompt_and_output_together_are_another_fault() -> None:
    answer = reply(
        REFUSED,
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context"
        " length is 4096 tokens and your request has 30 input tokens (4096 > 4096 - 30).",
        status=400,
        limit=4_096,
        requested=4_096,
        request_max_tokens=4_096,
    )
    target = connection(max_tokens=4_096)

    assert run_check(max_tokens_over_window, target, {facts.COMPLETION: answer}).findings == ()
    only(run_check(prompt_and_output_over_window, target, {facts.COMPLETION: answer}))


@pytest.mark.parametrize("own", [1, 4_096, 8_192])
def test_what_fits_the_window_passes(own: int) -> None:
    given: Given = {
        facts.COMPLETION: reply(),
        facts.MODELS: models("qwen3-8b", window=8_192),
    }

    assert (
        run_check(max_tokens_over_window, connection(max_tokens=own), given).status is Status.PASS
    )


def test_nothing_configured_is_not_applicable() -> None:
    result = run_check(max_tokens_over_window, given={facts.COMPLETION: reply()})

    assert result.status is Status.SKIPPED


def test_a_budget_that_was_never_sent_is_unknown() -> None:
    target = connection(max_tokens=4_096)

    assert run_check(max_tokens_over_window, target).status is Status.UNKNOWN
    given: Given = {facts.COMPLETION: reply()}
    assert run_check(max_tokens_over_window, target, given).status is Status.UNKNOWN
