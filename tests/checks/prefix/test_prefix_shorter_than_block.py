from __future__ import annotations

from typing import Any

from checks.prefix.prefix_shorter_than_block import prefix_shorter_than_block
from doctor.facts.prefixlog import PrefixUnkept
from doctor.models import Severity, Status
from tests.checks.prefix.engines import past
from tests.checks.prefix.logs import log
from tests.checks.response.replies import only
from tests.kit import run_check


def status(**more: Any) -> Status:
    return run_check(prefix_shorter_than_block, given=past(**more)).status


def test_prompts_shorter_than_a_block_never_hit() -> None:
    given = past(short=0.95, prompt=120, rate=0.0, cache={"block_size": "128"})
    finding = only(run_check(prefix_shorter_than_block, given=given))

    assert finding.title == "95% of the prompts are no longer than one block of 128 tokens"
    assert "--block-size" in finding.explanation
    assert finding.severity is Severity.INFO


def test_the_alignment_of_a_hybrid_counts_not_its_block() -> None:
    cache = {"block_size": "16", "cache_hit_alignment_tokens": "784"}
    given = past(short=0.9, prompt=300, rate=0.0, cache=cache)
    assert "784 tokens" in only(run_check(prefix_shorter_than_block, given=given)).title


def test_a_block_that_was_chosen_can_be_chosen_smaller() -> None:
    cache = {"block_size": "128", "user_specified_block_size": "True"}
    given = past(short=0.95, prompt=120, rate=0.0, cache=cache)
    explanation = only(run_check(prefix_shorter_than_block, given=given)).explanation
    assert "set by hand" in explanation


def test_long_prompts_are_another_matter() -> None:
    assert status(rate=0.0) is Status.PASS


def test_what_hits_is_long_enough() -> None:
    assert status(short=0.9, rate=0.4) is Status.PASS


def test_a_mark_before_too_little_text_is_named_with_the_length_it_takes() -> None:
    short = PrefixUnkept("claude-sonnet-4-6", 3, 377, 2_048, sure=True)
    (finding,) = run_check(prefix_shorter_than_block, given=log(unkept=(short,))).findings

    assert finding.severity is Severity.INFO
    assert "2,048 tokens" in finding.title
    assert "377" in finding.explanation


def test_a_log_without_such_marks_is_in_order() -> None:
    assert run_check(prefix_shorter_than_block, given=log()).status is Status.PASS
