"""A counter in front of text that requests share."""

from __future__ import annotations

from checks.prefix.prefix_holds_counter_or_state import prefix_holds_counter_or_state
from doctor.models import Severity, Status
from tests.kit import run_check

from .logs import cause, log


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(
        prefix_holds_counter_or_state, given=log(cause("KVD703", "counter"))
    ).findings

    assert finding.severity is Severity.WARNING
    assert "holds a counter" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD703", "counter", tokens_lost=100, blocks_lost=6)
    assert run_check(prefix_holds_counter_or_state, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(prefix_holds_counter_or_state).status is Status.SKIPPED


def test_what_claude_code_tells_of_the_repository_has_a_setting() -> None:
    git = cause("KVD703", "git of Claude Code")
    (finding,) = run_check(prefix_holds_counter_or_state, given=log(git)).findings
    assert "includeGitInstructions" in finding.explanation


def test_text_that_comes_again_and_again_is_that_of_several_prompts() -> None:
    often = cause("KVD703", "text", distinct=40)
    assert run_check(prefix_holds_counter_or_state, given=log(often)).status is Status.PASS
    ever_new = cause("KVD703", "text")
    assert run_check(prefix_holds_counter_or_state, given=log(ever_new)).status is Status.FINDINGS
