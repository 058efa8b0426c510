from __future__ import annotations

import pytest

from checks.response.answer_cut_short import answer_cut_short
from doctor import facts
from doctor.models import Severity, Status
from tests.checks.response.replies import only, reply
from tests.kit import connection, run_check


def usage(tokens: int) -> str:
    return f'{{"usage":{{"prompt_tokens":9,"completion_tokens":{tokens}}}}}'


def test_an_answer_cut_by_the_clients_own_max_tokens() -> None:
    answer = reply(finish_reason="length", request_max_tokens=64, body=usage(64))

    finding = only(
        run_check(answer_cut_short, connection(max_tokens=64), {facts.COMPLETION: answer})
    )

    assert finding.title == "The answer is cut off at 64 tokens"
    assert "max_tokens is 64" in finding.explanation
    assert finding.severity is Severity.WARNING


def test_an_answer_cut_far_below_the_clients_max_tokens_is_somebody_elses_cap() -> None:
    answer = reply(finish_reason="length", request_max_tokens=4096, body=usage(512))

    finding = only(
        run_check(answer_cut_short, connection(max_tokens=4096), {facts.COMPLETION: answer})
    )

    assert "4,096" in finding.explanation
    assert "cap of the gateway's route" in finding.explanation


def test_more_than_the_doctor_asked_for_is_somebody_elses_limit() -> None:
    answer = reply(finish_reason="length", body=usage(4096))

    finding = only(run_check(answer_cut_short, given={facts.COMPLETION: answer}))

    assert "4,096" in finding.title
    assert "not the request's" in finding.explanation


@pytest.mark.parametrize("finish", ["length", "max_tokens"])
def test_the_doctors_own_budget_is_no_finding(finish: str) -> None:
    answer = reply(finish_reason=finish, body=usage(16))

    assert run_check(answer_cut_short, given={facts.COMPLETION: answer}).status is Status.PASS
    configured = connection(max_tokens=4096)
    assert run_check(answer_cut_short, configured, {facts.COMPLETION: answer}).findings == ()


def test_a_stream_that_the_doctor_cancelled_is_not_cut() -> None:
    answer = reply(finish_reason="length", request_max_tokens=4096, cancelled=True)

    result = run_check(answer_cut_short, connection(max_tokens=4096), {facts.COMPLETION: answer})

    assert result.status is Status.PASS


def test_a_finished_answer_passes() -> None:
    answer = reply(finish_reason="stop", request_max_tokens=64, body=usage(3))

    result = run_check(answer_cut_short, connection(max_tokens=64), {facts.COMPLETION: answer})

    assert result.status is Status.PASS
