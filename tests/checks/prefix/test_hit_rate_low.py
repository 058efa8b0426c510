from __future__ import annotations

from typing import Any

import pytest

from checks.prefix.hit_rate_low import hit_rate_low
from doctor.models import Confidence, Severity, Status
from tests.checks.prefix.engines import past
from tests.checks.prefix.logs import log
from tests.checks.response.replies import only
from tests.kit import run_check


def explained(**more: Any) -> str:
    return only(run_check(hit_rate_low, given=past(**more))).explanation


def status(**more: Any) -> Status:
    return run_check(hit_rate_low, given=past(**more)).status


def test_a_cache_that_never_finds_anything() -> None:
    finding = only(run_check(hit_rate_low, given=past()))

    assert finding.title == "The prefix cache is on and finds 1% of the tokens"
    assert "2,000,000 prompt tokens of 1,000 requests" in finding.explanation
    assert "kvdoctor prefix FILE" in finding.explanation
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.MEDIUM)
    assert "--enable-prefix-caching" not in finding.explanation


def test_prompts_are_not_blamed_where_the_cache_was_full() -> None:
    explanation = explained(preempted=12)
    assert "given away before" in explanation
    assert "differs each time" not in explanation


def test_prompts_are_not_blamed_where_blocks_are_large() -> None:
    explanation = explained(cache={"block_size": "784"}, prompt=4_000)
    assert "whole blocks of 784 tokens" in explanation
    assert "differs each time" not in explanation


@pytest.mark.parametrize(
    "more",
    [{"requests": 10}, {"cache": {"enable_prefix_caching": "False"}}],
    ids=["too few", "caching is off"],
)
def test_there_is_nothing_to_judge(more: dict[str, Any]) -> None:
    assert status(**more) is Status.SKIPPED


@pytest.mark.parametrize("rate", [0.2, 0.9])
def test_a_rate_that_is_not_next_to_nothing_is_left_alone(rate: float) -> None:
    assert status(rate=rate) is Status.PASS


def test_prompts_that_cannot_hit_are_another_matter() -> None:
    assert status(short=0.95, prompt=120, cache={"block_size": "64"}) is Status.PASS


def test_answers_of_a_log_that_report_much_less_than_its_prompts_share() -> None:
    told = {"expected_rate": 0.9, "reported": 400, "reported_mean": 3_000.0}
    (finding,) = run_check(hit_rate_low, given=log(**told, reported_rate=0.1)).findings

    assert finding.severity is Severity.WARNING
    assert "sender is not at fault" in finding.explanation
    # As much as could be, prompts too short for a hosted cache, and answers that tell nothing.
    for rate, mean in ((0.8, 3_000.0), (0.1, 300.0), (None, 0.0)):
        given = log(**told | {"reported_rate": rate, "reported_mean": mean})
        assert run_check(hit_rate_low, given=given).status is Status.PASS
