"""KVD806."""

from __future__ import annotations

from doctor.models import Confidence, Severity, Status
from tests.checks.memory.plans import of, results, roots


def test_weights_larger_than_the_share_are_an_error_with_the_ranks_that_would_do() -> None:
    (finding,) = of("KVD806", "meta-llama/Llama-3.1-70B", gpu="H100")
    assert (finding.severity, finding.confidence) == (Severity.ERROR, Confidence.HIGH)
    assert "131.4 GiB of each GPU" in finding.explanation
    assert "--tensor-parallel-size 4" in finding.explanation


def test_a_window_that_cannot_fit_then_is_a_consequence() -> None:
    assert [finding.code for finding in roots("meta-llama/Llama-3.1-70B", gpu="H100")] == ["KVD806"]


def test_a_quantised_checkpoint_of_the_same_model_fits() -> None:
    words = ("meta-llama/Llama-3.1-70B", "--quantization", "awq", "--max-model-len", "16384")
    assert of("KVD806", *words, gpu="H100") == ()


def test_experts_are_weighed_in_the_format_that_they_are_stored_in() -> None:
    assert of("KVD806", "openai/gpt-oss-120b", gpu="H100") == ()
    assert of("KVD806", "openai/gpt-oss-120b", gpu="L40S") != ()


def test_a_share_that_is_too_small_is_not_the_weights_fault() -> None:
    words = ("Qwen/Qwen3-8B", "--gpu-memory-utilization", "0.3")
    assert of("KVD806", *words, gpu="L40S") == ()
    (finding,) = of("KVD802", *words, gpu="L40S")
    assert finding.severity is Severity.ERROR
    assert "15.3 GiB" in finding.explanation


def test_without_a_gpu_it_does_not_apply() -> None:
    assert results("Qwen/Qwen3-8B")["KVD806"].status is Status.SKIPPED


def test_a_cache_that_is_asked_for_must_fit_beside_the_weights() -> None:
    words = ("meta-llama/Llama-3.1-8B", "--kv-cache-memory-bytes")
    (finding,) = of("KVD806", *words, "70GiB", gpu="H100")
    assert "15.0 GiB and 70.0 GiB of 79.1 GiB" in finding.explanation
    assert of("KVD806", *words, "60GiB", gpu="H100") == ()
