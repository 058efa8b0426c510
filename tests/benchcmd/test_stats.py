"""Percentiles and intervals: their properties, whatever the values."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.bench.stats import enough_for, interval, mean, quantile, ratio_interval

times = st.floats(min_value=1e-6, max_value=1e4)
samples = st.lists(times, min_size=1, max_size=60)
few = settings(max_examples=25, deadline=None)


@given(samples, st.floats(0, 1))
def test_a_quantile_lies_within_the_values(values: list[float], share: float) -> None:
    assert min(values) <= quantile(values, share) <= max(values)


@given(samples, st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_is_no_smaller_quantile(
    values: list[float], one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert quantile(values, low) <= quantile(values, high) * (1 + 1e-12)


@given(st.lists(times, min_size=2, max_size=60))
def test_quartiles_are_those_of_the_standard_library(values: list[float]) -> None:
    theirs = statistics.quantiles(values, n=4, method="inclusive")
    assert [quantile(values, share) for share in (0.25, 0.5, 0.75)] == pytest.approx(theirs)


@given(samples)
def test_order_does_not_matter(values: list[float]) -> None:
    assert quantile(values, 0.9) == quantile(sorted(values, reverse=True), 0.9)


def test_of_nothing_there_is_no_quantile() -> None:
    with pytest.raises(ValueError, match="nothing"):
        quantile([], 0.5)


@few
@given(st.lists(st.lists(times, min_size=1, max_size=20), min_size=1, max_size=4))
def test_an_interval_holds_what_was_measured(groups: list[list[float]]) -> None:
    found = interval(groups, mean)
    everything = [value for group in groups for value in group]
    if len(everything) < 5:
        assert found is None
    else:
        assert found is not None
        assert found.low <= mean(everything) <= found.high


@few
@given(st.lists(times, min_size=5, max_size=40), st.floats(0.5, 3))
def test_a_change_holds_what_was_measured(values: list[float], times_: float) -> None:
    found = ratio_interval([values], [[value * times_ for value in values]], mean)
    assert found is not None
    assert found.low <= times_ - 1 + 1e-9
    assert found.high >= times_ - 1 - 1e-9


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = random.Random(7)
    covered = 0
    for _try in range(60):
        found = interval([[rng.gauss(10, 2) for _ in range(60)]], mean, seed=1)
        assert found is not None
        covered += found.low <= 10 <= found.high
    assert covered >= 50


def test_repeats_that_differ_make_an_interval_wider() -> None:
    rng = random.Random(3)
    alike = [[rng.gauss(10, 1) for _ in range(40)] for _ in range(3)]
    shifts = (-2, 0, 2)
    apart = [[value + shifts[n] for value in group] for n, group in enumerate(alike)]
    narrow, wide = interval(alike, mean), interval(apart, mean)
    assert narrow is not None
    assert wide is not None
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_a_high_percentile_of_few_values_is_not_called_sure() -> None:
    assert not enough_for(0.99, 100)
    assert enough_for(0.99, 200)
    assert enough_for(0.5, 10)
