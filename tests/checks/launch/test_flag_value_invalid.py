from __future__ import annotations

import pytest

from tests.checks.launch.world import codes, corrected, findings, only

CODE = "KVD919"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("--enable-prefix-caching False", "--no-enable-prefix-caching"),
        ("--enable-prefix-caching=true", "--enable-prefix-caching"),
        ("--no-enable-chunked-prefill False", "--enable-chunked-prefill"),
        ("--disable-log-stats False", ""),
        ("--dtype fp16", "--dtype float16"),
        ("--dtype=bf16", "--dtype=bfloat16"),
        ("--kv-cache-dtype int8", "--kv-cache-dtype fp8"),
        ("--max-model-len 8192tokens", "--max-model-len 8192"),
        ("--max-model-len 1.5K", "--max-model-len 1500"),
        ("--max-num-seqs 1k", "--max-num-seqs 1000"),
        ("--port=8000.0", "--port=8000"),
        ("--tool-call-parser hermess", "--tool-call-parser hermes"),
    ],
)
def test_the_value_that_is_meant(wrong: str, right: str) -> None:
    line = f"vllm serve m {wrong}"

    assert CODE in codes(line)
    assert corrected(line) == f"vllm serve m {right}".rstrip()


@pytest.mark.parametrize(
    "wrong",
    [
        "--port eight",
        "--port",
        "--port --host x",
        "--tensor-parallel-size 0",
        "--max-model-len 0",
        "--port 99999",
        "--uvicorn-log-level shouting",
        "--quantization nothing-of-the-kind",
    ],
)
def test_values_without_a_likely_meaning(wrong: str) -> None:
    line = f"vllm serve m {wrong}"

    assert CODE in codes(line)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("vllm serve m --max-model-len 32k", "0.32.0"),
        ("vllm serve m --max-model-len auto", "0.32.0"),
        ("vllm serve m --enable-chunked-prefill False", "0.8.4"),
        ("vllm serve m --enable-chunked-prefill", "0.8.0"),
        ("vllm serve m --quantization None", "0.32.0"),
        ("vllm serve m --api-key a b", "0.32.0"),
        ("vllm serve m --block-size 24", "0.32.0"),
    ],
)
def test_values_that_are_right(line: str, version: str) -> None:
    assert findings(line, CODE, version) == []


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("vllm serve m --max-model-len auto", "0.13.0"),
        ("vllm serve m --max-model-len 32k", "0.8.3"),
        ("vllm serve m --block-size 24", "0.17.1"),
        ("vllm serve m --kv-cache-dtype nvfp4", "0.19.1"),
    ],
)
def test_values_of_later_versions(line: str, version: str) -> None:
    assert only(line, CODE, version)["severity"] == "error"


def test_json_as_python_writes_it() -> None:
    line = ["vllm", "serve", "m", "-sc", "{'method': 'ngram', 'num_speculative_tokens': 3}"]

    assert corrected(line).endswith("""-sc '{"method": "ngram", "num_speculative_tokens": 3}'""")


def test_outputs_are_logged_with_their_requests_only() -> None:
    line = "vllm serve m --enable-log-outputs"

    assert corrected(line) == "vllm serve m --enable-log-outputs --enable-log-requests"


def test_a_value_that_is_filled_in_later_is_left_alone() -> None:
    assert findings("vllm serve m --port $PORT --dtype $DTYPE", CODE) == []


@pytest.mark.parametrize(
    ("version", "flags", "found"),
    [
        ("0.8.5", "--reasoning-parser qwen3", True),
        ("0.11.0", "--reasoning-parser qwen3", False),
        ("0.10.1", "--enable-auto-tool-choice --tool-call-parser openai", True),
        ("0.11.0", "--enable-auto-tool-choice --tool-call-parser openai", False),
        ("0.6.6", "--enable-auto-tool-choice --tool-call-parser hermes", False),
    ],
)
def test_names_of_parsers_are_those_of_the_version(version: str, flags: str, found: bool) -> None:
    line = f"vllm serve Qwen/Qwen3-8B {flags}"
    assert (CODE in codes(line, version=version)) is found
