from __future__ import annotations

from checks.tokens.thinking_takes_budget import thinking_takes_budget
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

EMPTY = OutcomeKind.CONTENT_EMPTY


def usage(tokens: int) -> str:
    return f'{{"usage":{{"prompt_tokens":9000,"completion_tokens":{tokens}}}}}'


def test_the_clients_budget_is_raised_as_a_guess() -> None:
    answer = reply(
        EMPTY, finish_reason="length", reasoning=True, request_max_tokens=260, body=usage(260)
    )

    finding = only(
        run_check(thinking_takes_budget, connection(max_tokens=260), {facts.COMPLETION: answer})
    )

    assert "max_tokens 260" in finding.explanation
    assert values(finding) == [4_096]
    assert finding.changes[0].guess
    assert finding.confidence is Confidence.HIGH
    assert "KVD513" in finding.explains


def test_the_larger_budget_stays_within_the_window() -> None:
    answer = reply(EMPTY, finish_reason="length", reasoning=True, request_max_tokens=1_000)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: models("qwen3-8b", window=4_096)}

    finding = only(run_check(thinking_takes_budget, connection(max_tokens=1_000), given))

    assert values(finding) == [3_072]


def test_stop_is_believed_no_more_than_the_usage() -> None:
    answer = reply(
        EMPTY, finish_reason="stop", reasoning=True, request_max_tokens=260, body=usage(260)
    )

    finding = only(
        run_check(thinking_takes_budget, connection(max_tokens=260), {facts.COMPLETION: answer})
    )

    assert finding.confidence is Confidence.MEDIUM


def test_usage_over_what_the_doctor_asked_is_a_limit_of_somebody_else() -> None:
    answer = reply(EMPTY, finish_reason="length", reasoning=True, body=usage(4_096))

    finding = only(run_check(thinking_takes_budget, given={facts.COMPLETION: answer}))

    assert "4,096 output tokens" in finding.explanation
    assert finding.changes == ()


def test_what_ended_by_itself_under_no_known_limit_used_up_none() -> None:
    answer = reply(EMPTY, finish_reason="stop", reasoning=True, body=usage(2_210))

    result = run_check(thinking_takes_budget, given={facts.COMPLETION: answer})

    assert result.status is Status.PASS


def test_an_answer_that_came_whole_though_streamed_is_read_too() -> None:
    answer = reply(
        OutcomeKind.STREAM_BROKEN,
        streamed=True,
        finish_reason="length",
        reasoning=True,
        body=usage(260),
        oddities=("json-unasked",),
    )

    finding = only(run_check(thinking_takes_budget, given={facts.COMPLETION: answer}))

    assert "260 output tokens" in finding.explanation
    assert "KVD515" in finding.explains


def test_the_doctors_own_small_budget_tells_nothing() -> None:
    for finish, used in (("length", 16), ("stop", 16), ("stop", 3)):
        answer = reply(EMPTY, finish_reason=finish, reasoning=True, body=usage(used))

        result = run_check(thinking_takes_budget, given={facts.COMPLETION: answer})

        assert result.status is Status.PASS


def test_an_answer_beside_reasoning_is_healthy() -> None:
    answer = reply(finish_reason="stop", reasoning=True, request_max_tokens=260, text="ok")

    result = run_check(
        thinking_takes_budget, connection(max_tokens=260), {facts.COMPLETION: answer}
    )

    assert result.status is Status.PASS


def test_a_little_budget_is_likely_gone_before_a_thinking_model_answers() -> None:
    answer = reply(
        OutcomeKind.ANSWERED, cancelled=True, reasoning=True, streamed=True, request_max_tokens=260
    )

    finding = only(
        run_check(thinking_takes_budget, connection(max_tokens=260), {facts.COMPLETION: answer})
    )

    assert "likely" in finding.title
    assert finding.severity is Severity.WARNING
    assert finding.changes == ()


def test_an_ample_budget_of_a_thinking_model_is_no_finding() -> None:
    for tokens, text in ((8_192, ""), (260, "pong")):
        answer = reply(
            OutcomeKind.ANSWERED,
            cancelled=True,
            reasoning=True,
            text=text,
            streamed=True,
            request_max_tokens=tokens,
        )
        given: Given = {facts.COMPLETION: answer}

        result = run_check(thinking_takes_budget, connection(max_tokens=tokens), given)

        assert result.status is Status.PASS


NOT_BELOW = "`max_tokens` must be greater than `thinking.budget_tokens`."
THINKING = OutcomeKind.THINKING_REFUSED


def test_a_budget_for_the_thinking_that_is_not_below_max_tokens() -> None:
    answer = reply(THINKING, NOT_BELOW, status=400, request_max_tokens=4_000)

    finding = only(
        run_check(thinking_takes_budget, connection(max_tokens=4_000), {facts.COMPLETION: answer})
    )

    assert finding.title == "max_tokens 4,000 is not above the thinking's budget"
    assert "reasoning_effort" in finding.explanation
    assert values(finding) == [20_480, 40_960]
    assert all(change.guess for change in finding.changes)


def test_the_budget_that_the_refusal_names_is_exceeded_within_the_window() -> None:
    text = "budget_tokens (8192) must be less than max_tokens (4000)"
    answer = reply(THINKING, text, status=400, request_max_tokens=4_000)
    client = connection(max_tokens=4_000)

    finding = only(run_check(thinking_takes_budget, client, {facts.COMPLETION: answer}))
    small = models("qwen3-8b", window=8_192)
    given: Given = {facts.COMPLETION: answer, facts.MODELS: small}

    assert values(finding) == [12_288]
    assert values(only(run_check(thinking_takes_budget, client, given))) == []


def test_the_doctors_own_number_below_the_thinking_is_no_fault_of_the_client() -> None:
    answer = reply(THINKING, NOT_BELOW, status=400)

    finding = only(run_check(thinking_takes_budget, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.WARNING
    assert finding.changes == ()
    assert "The doctor sent 16 itself" in finding.explanation
    assert "--max-tokens" in finding.explanation


def test_a_request_without_a_number_stood_under_a_default_of_somebody_else() -> None:
    # As a client's own request passes the tap: the gateway filled in 2,048.
    answer = reply(
        EMPTY, finish_reason="length", reasoning=True, request_max_tokens=None, body=usage(2_048)
    )

    finding = only(run_check(thinking_takes_budget, given={facts.COMPLETION: answer}))

    assert "2,048 output tokens went into reasoning" in finding.explanation
    assert "a default of the server" in finding.explanation
