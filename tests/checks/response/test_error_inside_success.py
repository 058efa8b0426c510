from __future__ import annotations

import pytest

from checks.response.error_inside_success import error_inside_success
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Status
from tests.checks.response.replies import only, reply
from tests.kit import run_check


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ("You exceeded your current quota, please check your plan", "balance"),
        ("该令牌额度已用尽", "balance"),
        ("Invalid token", "the key"),
        ("无效的令牌", "the key"),
        ("当前分组上游负载已饱和，请稍后再试", "rate limit"),
        ("分组 default 下模型 m 无可用渠道", "channel"),
        ("The model `m` does not exist.", "the model"),
        ("This model's maximum context length is 8192 tokens", "token budget"),
        ("Invalid URL (POST /chat/completions)", "the path"),
        ("upstream error: do request failed", "behind the gateway"),
        ("something went wrong", "says what is wrong"),
    ],
)
def test_the_servers_message_comes_first_and_is_placed(message: str, meaning: str) -> None:
    answer = reply(OutcomeKind.ERROR_IN_SUCCESS, message, body='{"error":{}}')

    finding = only(run_check(error_inside_success, given={facts.COMPLETION: answer}))

    assert message in finding.title
    assert meaning in finding.explanation
    assert "KVD510" in finding.explains


def test_an_error_without_a_message_shows_the_body() -> None:
    answer = reply(OutcomeKind.ERROR_IN_SUCCESS, body='{"success":false}')

    finding = only(run_check(error_inside_success, given={facts.COMPLETION: answer}))

    assert '{"success":false}' in finding.title


def test_a_failure_with_its_own_status_is_not_its_business() -> None:
    answer = reply(OutcomeKind.QUOTA, "You exceeded your current quota", status=429)

    assert run_check(error_inside_success, given={facts.COMPLETION: answer}).status is Status.PASS


def test_an_answer_passes() -> None:
    assert run_check(error_inside_success, given={facts.COMPLETION: reply()}).status is Status.PASS
