"""An id of each request in front of text that requests share."""

from __future__ import annotations

from checks.prefix.prefix_holds_unique_id import prefix_holds_unique_id
from doctor.models import Severity, Status
from tests.kit import run_check

from .logs import cause, log


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(prefix_holds_unique_id, given=log(cause("KVD702", "unique id"))).findings

    assert finding.severity is Severity.WARNING
    assert "an id of its own" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD702", "unique id", tokens_lost=100, blocks_lost=6)
    assert run_check(prefix_holds_unique_id, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(prefix_holds_unique_id).status is Status.SKIPPED


def test_of_an_id_only_the_beginning_is_shown() -> None:
    long = cause("KVD702", "unique id", examples=("a1b2c3d4e5f6a7b8c9d0", "0d9c8b7a6f5e4d3c2b1a"))
    (finding,) = run_check(prefix_holds_unique_id, given=log(long)).findings
    assert "a1b2c3d4" not in str(finding)


def test_ids_of_calls_are_kept_not_moved() -> None:
    made = cause("KVD702", "call id", path="messages[n].content", sure=False)
    (finding,) = run_check(prefix_holds_unique_id, given=log(made)).findings

    assert "other ids" in finding.title
    assert "Keep the id" in finding.explanation
    # What stands in a turn is not moved by a log that is written anew.
    assert "--write" not in finding.explanation
