"""One line of a watched engine."""

from __future__ import annotations

import pytest

from doctor.enginemetrics.sample import sample_of
from tests.enginemetrics.texts import HOUR, histogram, metrics

TTFT = "vllm:time_to_first_token_seconds"


def test_the_first_look_knows_the_state_and_no_rates() -> None:
    sample = sample_of(
        None, metrics({"vllm:num_requests_running": 4, "vllm:kv_cache_usage_perc": 0.5})
    )
    assert (sample.running, sample.waiting, sample.kv_usage) == (4, 0, 0.5)
    assert (sample.seconds, sample.hit_rate, sample.generation_rate) == (None, None, None)


def test_a_later_look_knows_what_happened() -> None:
    before = metrics(
        {"vllm:generation_tokens_total": 100}, histogram(TTFT, {"1.0": 0, "+Inf": 0}, 0)
    )
    after = metrics(
        {"vllm:generation_tokens_total": 300},
        histogram(TTFT, {"1.0": 4, "+Inf": 4}, 2),
        after=HOUR + 2,
    )
    sample = sample_of(before, after)
    assert (sample.seconds, sample.generation_rate) == (2, 100)
    assert sample.ttft_p50 == 0.5
    assert sample.inter_token_p50 is None


def test_after_a_restart_it_begins_anew() -> None:
    before = metrics({"vllm:generation_tokens_total": 300})
    sample = sample_of(before, metrics({"vllm:generation_tokens_total": 5}, after=HOUR + 2))
    assert (sample.seconds, sample.generation_rate) == (None, None)


@pytest.mark.parametrize(("gauge", "rate"), [(0.4, 0.4), (-1.0, None)])
def test_the_old_engine_tells_its_hit_rate_itself(gauge: float, rate: float | None) -> None:
    told = {"vllm:gpu_prefix_cache_hit_rate": gauge}
    assert sample_of(metrics(told), metrics(told, after=HOUR + 2)).hit_rate == rate


@pytest.mark.parametrize(
    ("usage", "waiting", "saturated"), [(0.95, 3, True), (0.95, 0, False), (0.6, 3, False)]
)
def test_saturation_takes_a_full_cache_and_somebody_who_pays(
    usage: float, waiting: float, saturated: bool
) -> None:
    values = {"vllm:kv_cache_usage_perc": usage, "vllm:num_requests_waiting": waiting}
    assert sample_of(None, metrics(values)).saturated is saturated
