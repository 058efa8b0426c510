from __future__ import annotations

import pytest

from checks.response.content_empty import content_empty
from checks.tokens.thinking_takes_budget import thinking_takes_budget
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Severity, Status
from tests.checks.response.replies import only, reply
from tests.kit import connection, run_check

EMPTY = OutcomeKind.CONTENT_EMPTY


def usage(tokens: int) -> str:
    return f'{{"usage":{{"prompt_tokens":9,"completion_tokens":{tokens}}}}}'


def test_a_call_that_is_announced_and_missing_points_at_the_parser() -> None:
    answer = reply(EMPTY, finish_reason="tool_calls")

    finding = only(run_check(content_empty, given={facts.COMPLETION: answer}))

    assert "--tool-call-parser" in finding.explanation


def test_a_tool_call_is_only_told() -> None:
    answer = reply(finish_reason="tool_calls")

    finding = only(run_check(content_empty, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.INFO
    assert "tool_calls" in finding.explanation


def test_an_empty_answer_that_came_whole_though_streamed_is_the_root() -> None:
    answer = reply(
        OutcomeKind.STREAM_BROKEN, streamed=True, finish_reason="stop", oddities=("json-unasked",)
    )

    assert "KVD515" in only(run_check(content_empty, given={facts.COMPLETION: answer})).explains


def test_a_filter_is_named() -> None:
    answer = reply(EMPTY, finish_reason="content_filter")

    finding = only(run_check(content_empty, given={facts.COMPLETION: answer}))

    assert "filter" in finding.title


def test_an_answer_left_in_the_reasoning_points_at_the_parser() -> None:
    answer = reply(EMPTY, finish_reason="stop", reasoning=True, body=usage(5))

    finding = only(run_check(content_empty, given={facts.COMPLETION: answer}))

    assert "--reasoning-parser" in finding.explanation
    assert run_check(thinking_takes_budget, given={facts.COMPLETION: answer}).findings == ()


def test_a_budget_of_the_client_that_ends_without_a_word() -> None:
    answer = reply(EMPTY, finish_reason="length", request_max_tokens=64)

    finding = only(run_check(content_empty, connection(max_tokens=64), {facts.COMPLETION: answer}))

    assert "budget ended" in finding.title


def test_stop_without_anything() -> None:
    answer = reply(EMPTY, finish_reason="stop", body=usage(1))

    finding = only(run_check(content_empty, given={facts.COMPLETION: answer}))

    assert "chat template" in finding.explanation


@pytest.mark.parametrize(
    ("finish", "reasoning", "used"),
    [("length", True, 16), ("length", False, 16), ("max_tokens", True, 16), ("stop", True, 16)],
)
def test_the_doctors_own_small_budget_tells_nothing(
    finish: str, reasoning: bool, used: int
) -> None:
    answer = reply(EMPTY, finish_reason=finish, reasoning=reasoning, body=usage(used))

    assert run_check(content_empty, given={facts.COMPLETION: answer}).findings == ()


def test_thinking_that_took_the_clients_budget_is_left_to_its_own_check() -> None:
    answer = reply(EMPTY, finish_reason="length", reasoning=True, request_max_tokens=64)
    target = connection(max_tokens=64)

    assert run_check(content_empty, target, {facts.COMPLETION: answer}).findings == ()
    only(run_check(thinking_takes_budget, target, {facts.COMPLETION: answer}))


def test_a_cancelled_stream_and_an_answer_pass() -> None:
    cancelled = reply(EMPTY, finish_reason=None, cancelled=True, streamed=True)

    for answer in (cancelled, reply()):
        assert run_check(content_empty, given={facts.COMPLETION: answer}).status is Status.PASS
