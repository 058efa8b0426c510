"""A clock in front of text that requests share."""

from __future__ import annotations

from checks.prefix.prefix_holds_clock import prefix_holds_clock
from doctor.models import Severity, Status
from tests.kit import run_check

from .logs import cause, log, source


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(prefix_holds_clock, given=log(cause("KVD701", "clock"))).findings

    assert finding.severity is Severity.WARNING
    assert "holds a clock" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD701", "clock", tokens_lost=100, blocks_lost=6)
    assert run_check(prefix_holds_clock, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(prefix_holds_clock).status is Status.SKIPPED


def test_a_source_is_told_with_its_line() -> None:
    given = source("KVD701", "clock", "datetime.now()")
    (finding,) = run_check(prefix_holds_clock, given=given).findings
    assert [evidence.location for evidence in finding.evidence] == ["app.py:7", "app.py:9"]
