"""The program, run from outside, explains what real people reported.

A report that is missed today stands in misses.toml with the reason; every other one must stay
explained. Setups with which all is well give no finding.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from .case import HEALTHY, IN_SCOPE, REPORTS, Case, read_cases
from .runner import run_cases
from .show import table
from .verdict import Verdict, misses, score

_CASES = tuple(case for case in read_cases(REPORTS) if case.kind in IN_SCOPE)
_HEALTHY = read_cases(HEALTHY)
_SHARE = 0.85

pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("reports")]


@pytest.fixture(scope="module")
def verdicts() -> Mapping[str, Verdict]:
    return {verdict.case.id: verdict for verdict in run_cases((*_CASES, *_HEALTHY))}


def test_most_reports_are_explained(verdicts: Mapping[str, Verdict]) -> None:
    reports = tuple(verdicts[case.id] for case in _CASES)
    right, of = score(reports)
    assert right / of >= _SHARE, table(reports)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.id)
def test_report_is_explained(case: Case, verdicts: Mapping[str, Verdict]) -> None:
    verdict = verdicts[case.id]
    if verdict.case.id in misses():
        assert not verdict.ok, "explained now: take it out of misses.toml"
    else:
        assert verdict.ok, table((verdict,), verbose=True)


@pytest.mark.parametrize("case", _HEALTHY, ids=lambda case: case.id)
def test_nothing_is_found_where_all_is_well(case: Case, verdicts: Mapping[str, Verdict]) -> None:
    verdict = verdicts[case.id]
    assert not verdict.seen.codes, table((verdict,), verbose=True)


def test_no_run_ends_badly(verdicts: Mapping[str, Verdict]) -> None:
    troubles = {name: v.seen.troubles for name, v in verdicts.items() if v.seen.troubles}
    assert not troubles


def test_nothing_but_loopback_is_reached(verdicts: Mapping[str, Verdict]) -> None:
    contacts = {name: v.seen.contacts for name, v in verdicts.items() if v.seen.contacts}
    assert not contacts
