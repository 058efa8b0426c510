"""KVD803."""

from __future__ import annotations

import pytest

from doctor.models import Confidence, Severity, Status
from tests.checks.memory.plans import of, results

LLAMA = "meta-llama/Llama-3.1-8B"


def test_a_given_cache_that_is_too_small_is_certain() -> None:
    (finding,) = of("KVD803", LLAMA, "--kv-cache-memory-bytes", "4GiB")
    assert finding.confidence is Confidence.HIGH
    assert finding.title == "One request of 131,072 tokens does not fit"
    assert "takes 16.0 GiB" in finding.explanation
    assert "The longest that fits is 32,752." in finding.explanation


def test_an_estimate_is_marked_as_one() -> None:
    (finding,) = of("KVD803", LLAMA, gpu="RTX 4090")
    assert finding.confidence is Confidence.MEDIUM
    assert "likely" in finding.explanation
    assert finding.severity is Severity.ERROR


def test_what_only_likely_does_not_fit_is_a_warning() -> None:
    # At best 5.2 GiB are left, likely 4.3: a request of 37,000 tokens takes 4.5.
    (finding,) = of("KVD803", LLAMA, "--max-model-len", "37000", gpu="L4")
    assert finding.severity is Severity.WARNING
    assert "likely does not fit" in finding.title


@pytest.mark.parametrize("size", ["16.1GiB", "64GiB"])
def test_what_fits_is_left_alone(size: str) -> None:
    assert of("KVD803", LLAMA, "--kv-cache-memory-bytes", size) == ()


def test_exactly_one_request_does_not_fit_for_the_block_that_the_pool_keeps() -> None:
    assert of("KVD803", LLAMA, "--kv-cache-memory-bytes", "16GiB") != ()


def test_windows_are_counted_by_what_they_keep() -> None:
    words = ("mistralai/Mistral-7B-v0.1", "--kv-cache-memory-bytes", "2GiB")
    assert of("KVD803", *words) == ()
    assert of("KVD803", *words, "--disable-sliding-window", "--max-model-len", "4096") == ()
    assert of("KVD803", "mistralai/Mistral-7B-Instruct-v0.2", *words[1:]) != ()


def test_minus_one_lets_the_engine_choose() -> None:
    assert of("KVD803", LLAMA, "--max-model-len", "-1", "--kv-cache-memory-bytes", "4GiB") == ()


def test_without_memory_it_does_not_apply() -> None:
    assert results(LLAMA)["KVD803"].status is Status.SKIPPED
