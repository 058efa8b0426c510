"""Bug reports of memory that name a model, its flags and a GPU: the planner finds their cause."""

from __future__ import annotations

import pytest

from doctor.models import Severity
from tests.checks.memory.plans import roots

CODER = "Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8"


@pytest.mark.parametrize(
    ("words", "gpu", "codes"),
    [
        # A T4 at 0.1: 10 % does not hold the weights of a 7B at 4 bits (vllm#7028).
        (("mistralai/Mistral-7B-Instruct-v0.2", "--quantization", "awq", "--enforce-eager",
          "--gpu-memory-utilization", "0.1"), "T4", ["KVD802"]),
        # Everything, to the last byte (vllm#10797).
        (("meta-llama/Llama-3.2-3B-Instruct", "--gpu-memory-utilization", "1.0",
          "--max-model-len", "8192"), "RTX 4080", ["KVD802"]),
        # 66 GB of weights on one card of 48.
        (("deepseek-ai/deepseek-coder-33b-instruct", "--dtype", "float16"), "L40", ["KVD806"]),
        # A default window of 131072 beside 16 GB of weights on 24 GB.
        (("meta-llama/Llama-3.1-8B-Instruct",), "RTX 4090", ["KVD803"]),
        # Each of these serves.
        (("TinyLlama/TinyLlama-1.1B-Chat-v1.0", "--max-model-len", "1024",
          "--gpu-memory-utilization", "0.2"), "L40S", []),
        (("Qwen/Qwen2.5-14B-Instruct", "--quantization", "gptq", "--max-model-len", "16384",
          "--enforce-eager", "--gpu-memory-utilization", "0.20"), "A100 80GB", []),
        (("Qwen/Qwen2.5-32B-Instruct", "-tp", "2", "--quantization", "awq", "--max-model-len",
          "15000", "--gpu-memory-utilization", "0.95"), "RTX 4090", []),
        (("openai/gpt-oss-20b",), "L4", []),
        (("openai/gpt-oss-120b",), "H100", []),
        (("deepseek-ai/DeepSeek-R1", "-tp", "8"), "H200", []),
        (("meta-llama/Llama-3.3-70B-Instruct", "-tp", "4"), "H100", []),
        (("google/gemma-3-27b-it",), "H200", []),
        (("Qwen/Qwen3-8B",), "L40S", []),
    ],
)  # fmt: skip
def test_the_cause_is_found_and_a_line_that_serves_is_left_alone(
    words: tuple[str, ...], gpu: str, codes: list[str]
) -> None:
    assert [finding.code for finding in roots(*words, gpu=gpu)] == codes


def test_the_refusal_of_a_log_is_planned_from_its_own_figures() -> None:
    # "24.0 GiB KV cache is needed, … available KV cache memory (3.18 GiB)": by all 48 layers.
    (finding,) = roots(CODER, "--kv-cache-memory-bytes", "3414499000")
    assert (finding.code, finding.severity) == ("KVD803", Severity.ERROR)
    assert "24.0 GiB" in finding.explanation
    # The log's own estimate is 34736, before the pool's spare block was subtracted.
    assert "34,7" in finding.explanation


def test_stages_of_unequal_size_are_planned_by_the_fuller_one() -> None:
    # vllm#34076: 16 layers on one card, 32 on the other, and the whole window of 262144.
    words = (CODER, "--gpu-memory-utilization", "0.9", "-pp", "2")
    (finding,) = roots(*words, gpu="RTX 5090", partition="16,32")
    assert finding.code == "KVD803"
    assert "takes 16.0 GiB of KV cache" in finding.explanation


def test_a_split_that_is_not_needed_is_told_as_a_hint_only() -> None:
    (finding,) = roots("Qwen/Qwen3-4B", "-tp", "4", "--max-model-len", "8192", gpu="A100 80GB")
    assert (finding.code, finding.severity) == ("KVD814", Severity.INFO)


def test_lengths_and_concurrency_decide_what_is_enough() -> None:
    words = ("Qwen/Qwen3-8B", "--max-num-seqs", "128", "--kv-cache-memory-bytes", "16GiB")
    assert [finding.code for finding in roots(*words, lengths="500/900")] == ["KVD607"]
    (few,) = roots(*words, "--max-model-len", "20480", lengths="8000/16000")
    assert few.code == "KVD804"
    assert "--max-num-seqs 9" in few.explanation
