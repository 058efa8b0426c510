"""The same tools in another order."""

from __future__ import annotations

from checks.prefix.tools_order_drifts import tools_order_drifts
from doctor.models import Severity, Status
from tests.kit import run_check

from .logs import cause, log


def test_it_is_told_with_its_price_and_two_examples() -> None:
    (finding,) = run_check(tools_order_drifts, given=log(cause("KVD705", "order"))).findings

    assert finding.severity is Severity.WARNING
    assert "changing order" in finding.title
    assert "50%" in finding.explanation
    assert len(finding.evidence) == 2


def test_other_text_than_tools_is_not_sorted_by_name() -> None:
    (tools,) = run_check(
        tools_order_drifts, given=log(cause("KVD705", "order", path="tools"))
    ).findings
    (text,) = run_check(tools_order_drifts, given=log(cause("KVD705", "order"))).findings
    assert "Sort the tools" in tools.explanation
    assert "Sort the tools" not in text.explanation


def test_what_costs_next_to_nothing_is_not() -> None:
    cheap = cause("KVD705", "order", tokens_lost=100, blocks_lost=6)
    assert run_check(tools_order_drifts, given=log(cheap)).status is Status.PASS


def test_without_a_log_it_has_nothing_to_look_at() -> None:
    assert run_check(tools_order_drifts).status is Status.SKIPPED
