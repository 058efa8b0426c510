from __future__ import annotations

from typing import Any

import pytest

from checks.memory.cache_idle import cache_idle
from doctor.models import CheckResult, Confidence, Severity, Status
from tests.checks.engines import at_work, state
from tests.checks.response.replies import only
from tests.enginemetrics.texts import HOUR, histogram
from tests.kit import run_check


def check(
    requests: int = 5_000,
    lasted: float = 2.0,
    hours: float = 24,
    preempted: float = 0,
    queued: float = 0.001,
    **cache: str,
) -> CheckResult:
    """An engine whose requests of 600 and 200 tokens took ``lasted`` seconds each."""
    more = [
        *histogram("vllm:e2e_request_latency_seconds", {"+Inf": requests}, requests * lasted),
        *histogram("vllm:request_prompt_tokens", {"+Inf": requests}, requests * 600.0),
        *histogram("vllm:request_generation_tokens", {"+Inf": requests}, requests * 200.0),
        *histogram("vllm:request_queue_time_seconds", {"+Inf": requests}, requests * queued),
    ]
    values = state(num_preemptions=preempted)
    return run_check(cache_idle, given=at_work(values, more=more, cache=cache, uptime=hours * HOUR))


def test_a_cache_that_is_far_too_large() -> None:
    finding = only(check())

    # 5,000 requests of 2 s in a day: 0.116 at a time, of 800 tokens each.
    assert finding.title == "On average 0.1% of the KV cache is used"
    assert "held about 93 tokens at a time; the cache holds 131,072" in finding.explanation
    assert "A lower --gpu-memory-utilization than 0.9 would do." in finding.explanation
    assert (finding.severity, finding.confidence) == (Severity.INFO, Confidence.MEDIUM)


def test_a_cache_that_was_sized_by_bytes_is_made_smaller_by_bytes() -> None:
    explanation = only(check(kv_cache_memory_bytes="1073741824")).explanation
    assert "--kv-cache-memory-bytes" in explanation
    assert "utilization" not in explanation


@pytest.mark.parametrize(
    "more",
    [{"hours": 2}, {"requests": 200}, {"preempted": 1}, {"queued": 0.4}],
    ids=["too early", "too few", "was full", "had a queue"],
)
def test_too_little_is_known(more: dict[str, Any]) -> None:
    assert check(**more).status is Status.SKIPPED


def test_a_cache_that_is_used_is_well() -> None:
    assert check(lasted=60.0).status is Status.PASS
