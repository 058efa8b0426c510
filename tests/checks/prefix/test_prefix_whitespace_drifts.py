"""The same text with other blanks."""

from __future__ import annotations

from checks.prefix.prefix_whitespace_drifts import prefix_whitespace_drifts
from doctor.models import Severity, Status
from tests.kit import run_check

from .logs import cause, log


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(prefix_whitespace_drifts, given=log(cause("KVD704", "blanks"))).findings

    assert finding.severity is Severity.WARNING
    assert "changing blanks" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD704", "blanks", tokens_lost=100, blocks_lost=6)
    assert run_check(prefix_whitespace_drifts, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(prefix_whitespace_drifts).status is Status.SKIPPED


def test_of_an_earlier_turn_the_writing_of_json_is_named() -> None:
    turn = cause("KVD704", "blanks", path="messages[n].content")
    (finding,) = run_check(prefix_whitespace_drifts, given=log(turn)).findings

    assert "an earlier turn" in finding.title
    assert "parsed and written again" in finding.explanation
