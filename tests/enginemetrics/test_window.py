"""What two scrapes say together."""

from __future__ import annotations

import dataclasses

import pytest

from doctor.enginemetrics import between, names, now_of, since_start
from doctor.enginemetrics.window import quantile, share_up_to
from doctor.facts.engine import Distribution
from tests.enginemetrics.texts import HOUR, STARTED, histogram, metrics

COUNTERS = {
    "vllm:prefix_cache_queries_total": 1_000.0,
    "vllm:prefix_cache_hits_total": 500.0,
    "vllm:num_preemptions_total": 7.0,
    "vllm:generation_tokens_total": 100.0,
}
GROWN = {
    "vllm:prefix_cache_queries_total": 3_000.0,
    "vllm:prefix_cache_hits_total": 700.0,
    "vllm:num_preemptions_total": 9.0,
    "vllm:generation_tokens_total": 300.0,
}
TTFT = "vllm:time_to_first_token_seconds"


def test_growth_and_rates() -> None:
    window = between(metrics(COUNTERS), metrics(GROWN, after=HOUR + 4))
    assert window is not None
    assert window.seconds == 4
    assert window.grown[names.PREEMPTIONS] == 2
    assert window.rate(names.GENERATION_TOKENS) == 50
    assert window.hit_rate == 0.1
    assert window.rate(names.FINISHED) is None


def test_what_an_external_store_found_was_found() -> None:
    more = {**COUNTERS, "vllm:external_prefix_cache_hits_total": 400.0}
    window = since_start(metrics(more))
    assert window is not None
    assert window.hit_rate == 0.9


def test_the_latencies_of_the_window_alone() -> None:
    before = metrics(more=histogram(TTFT, {"0.1": 90, "1.0": 100, "+Inf": 100}, 9.0))
    after = metrics(
        more=histogram(TTFT, {"0.1": 90, "1.0": 110, "+Inf": 110}, 14.0), after=HOUR + 2
    )
    window = between(before, after)
    assert window is not None
    assert window.observed[names.TTFT].count == 10
    assert window.quantile(names.TTFT, 0.5) == pytest.approx(0.55)
    assert window.mean(names.TTFT) == pytest.approx(0.5)
    assert window.quantile(names.QUEUE, 0.5) is None


def test_nothing_observed_has_no_quantile() -> None:
    before = metrics(more=histogram(TTFT, {"0.1": 9, "+Inf": 9}, 1.0))
    window = between(before, dataclasses.replace(before, at=before.at + 1))
    assert window is not None
    assert window.quantile(names.TTFT, 0.5) is None
    assert window.mean(names.TTFT) is None


def test_a_server_that_was_started_anew_has_no_window() -> None:
    before, after = metrics(GROWN), metrics(COUNTERS, after=HOUR + 2)
    assert between(before, after) is None
    again = dataclasses.replace(metrics(GROWN, after=HOUR + 2), started=STARTED + HOUR + 1)
    assert between(before, again) is None


def test_the_same_moment_is_no_window() -> None:
    assert between(metrics(COUNTERS), metrics(GROWN)) is None


def test_the_past_needs_a_beginning() -> None:
    snapshot = metrics(COUNTERS)
    ever = since_start(snapshot)
    assert ever is not None
    assert (ever.seconds, ever.grown[names.PREEMPTIONS]) == (HOUR, 7)
    assert since_start(dataclasses.replace(snapshot, started=None)) is None


def test_quantiles_are_interpolated_within_their_bucket() -> None:
    held = Distribution(count=100, sum=0, bounds=(1.0, 2.0, 4.0), counts=(0.0, 50.0, 90.0))
    assert quantile(held, 0.25) == 1.5
    assert quantile(held, 0.5) == 2.0
    assert quantile(held, 0.7) == 3.0
    # Beyond the last bound nothing is known but that it was passed.
    assert quantile(held, 0.99) == 4.0


def test_a_share_is_a_lower_bound() -> None:
    held = Distribution(count=10, sum=0, bounds=(10.0, 20.0, 50.0), counts=(3.0, 6.0, 9.0))
    assert share_up_to(held, 16) == 0.3
    assert share_up_to(held, 20) == 0.6
    assert share_up_to(held, 5) == 0.0
    assert share_up_to(Distribution(0, 0), 5) is None


@pytest.mark.parametrize(
    ("values", "pressed"),
    [
        ({}, False),
        ({"vllm:num_requests_running": 3.0, "vllm:kv_cache_usage_perc": 0.2}, False),
        ({"vllm:num_requests_waiting": 1.0}, True),
        ({"vllm:kv_cache_usage_perc": 0.6}, True),
    ],
)
def test_a_second_look_is_for_engines_with_something_to_do(
    values: dict[str, float], pressed: bool
) -> None:
    assert now_of(metrics(values)).pressed is pressed
