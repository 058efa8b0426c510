"""Earlier turns that are not as they were."""

from __future__ import annotations

from checks.prefix.history_rewritten import history_rewritten
from doctor.models import Severity, Status
from tests.kit import run_check

from .logs import cause, log


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(history_rewritten, given=log(cause("KVD712", "rewritten"))).findings

    assert finding.severity is Severity.WARNING
    assert "earlier turns change" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_turns_that_fall_out_are_told_apart() -> None:
    (finding,) = run_check(history_rewritten, given=log(cause("KVD712", "evicted"))).findings

    assert "oldest turns" in finding.title
    assert "many turns at a time" in finding.explanation


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD712", "rewritten", tokens_lost=100, blocks_lost=6)
    assert run_check(history_rewritten, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(history_rewritten).status is Status.SKIPPED
