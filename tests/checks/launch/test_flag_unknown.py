from __future__ import annotations

import pytest

from tests.checks.launch.world import codes, corrected, findings, only

CODE = "KVD903"


def test_the_nearest_name_is_proposed() -> None:
    line = "vllm serve m --max-modellen 4096"

    finding = only(line, CODE)

    assert "--max-model-len" in finding["explanation"]
    assert finding["confidence"] == "medium"
    assert corrected(line) == "vllm serve m --max-model-len 4096"


@pytest.mark.parametrize(
    "line",
    [
        "vllm serve m --max_model_len 4096",
        "vllm serve m --max-model 4096",
        "vllm serve m -tp 2",
        "vllm serve m -sc.method ngram --speculative-config.num_speculative_tokens 2",
    ],
)
def test_what_vllm_takes_is_known(line: str) -> None:
    assert codes(line) == []


@pytest.mark.parametrize(
    ("given", "server", "new"),
    [
        ("--context-length 4096", "SGLang", "--max-model-len 4096"),
        ("--mem-fraction-static 0.8", "SGLang", "--gpu-memory-utilization 0.8"),
        ("--num-shard 2", "Text Generation Inference", "--tensor-parallel-size 2"),
        ("--ctx-size 4096", "llama.cpp", "--max-model-len 4096"),
        ("-ngl 99", "llama.cpp", ""),
        ("--session-len 4096", "LMDeploy", "--max-model-len 4096"),
        ("--temperature 0.5", "request", ""),
        ("--enable-continuous-batching", "never had it", ""),
    ],
)
def test_flags_of_others(given: str, server: str, new: str) -> None:
    line = f"vllm serve m {given}"

    assert server in only(line, CODE)["explanation"]
    assert corrected(line) == f"vllm serve m {new}".rstrip()


def test_a_model_by_another_servers_flag_becomes_the_first_word() -> None:
    assert corrected("vllm serve --model-path m --port 1") == "vllm serve m --port 1"


def test_a_flag_of_a_later_version() -> None:
    finding = only("vllm serve m --async-scheduling", CODE, "0.9.1")

    assert finding["title"] == "--async-scheduling exists from vLLM 0.10.0 on"


def test_the_beginning_of_several_flags() -> None:
    finding = only("vllm serve m --enable-prefix --max-num 3", CODE)

    assert finding["title"] == "--max-num is the beginning of several flags"
    assert "--max-num-seqs" in finding["explanation"]


def test_a_vllm_flag_on_another_servers_line() -> None:
    line = "python -m sglang.launch_server --model-path m --enable-reasoning"

    assert "SGLang" in only(line, CODE)["explanation"]


def test_a_build_for_other_hardware_may_add_flags() -> None:
    line = "docker run quay.io/ascend/vllm-ascend:v0.9.1 vllm serve m --ascend-thing 1"

    assert only(line, CODE, "0.9.1")["severity"] == "info"
    assert corrected(line, "0.9.1") == line


def test_a_mistyped_variable() -> None:
    line = "VLLM_LOGING_LEVEL=DEBUG vllm serve m"

    assert only(line, CODE)["severity"] == "warning"
    assert corrected(line) == "VLLM_LOGGING_LEVEL=DEBUG vllm serve m"


def test_a_variable_of_the_users_own_is_left_alone() -> None:
    assert findings("VLLM_MY_DEPLOYMENT=blue vllm serve m", CODE) == []
