"""KVD814."""

from __future__ import annotations

from doctor.models import Severity, Status
from tests.checks.memory.plans import of, results

SMALL = ("Qwen/Qwen3-4B", "--max-model-len", "8192")


def test_a_small_model_on_four_large_gpus_is_a_hint() -> None:
    (finding,) = of("KVD814", *SMALL, "-tp", "4", gpu="A100 80GB")
    assert finding.severity is Severity.INFO
    assert not finding.blocking
    assert "--tensor-parallel-size 1 --data-parallel-size 4" in finding.explanation


def test_a_model_that_needs_the_split_is_left_alone() -> None:
    assert of("KVD814", "meta-llama/Llama-3.3-70B-Instruct", "-tp", "4", gpu="H100") == ()


def test_a_load_that_needs_the_split_cache_is_left_alone() -> None:
    words = ("Qwen/Qwen3-4B", "-tp", "2")
    assert of("KVD814", *words, gpu="L4", concurrency=400, lengths="4000") == ()


def test_one_rank_is_not_judged() -> None:
    assert results(*SMALL, gpu="A100 80GB")["KVD814"].status is Status.SKIPPED
