from __future__ import annotations

import pytest

from tests.checks.launch.world import codes, corrected, findings, only

CODE = "KVD901"


def test_a_removed_flag_names_the_versions_and_is_taken_out() -> None:
    line = "vllm serve m --swap-space 8 --port 8000"

    finding = only(line, CODE)

    assert finding["title"] == "--swap-space is gone since vLLM 0.18.0"
    assert "last version with it is 0.17.1" in finding["explanation"]
    assert "--kv-offloading-size" in finding["explanation"]
    assert finding["severity"] == "error"
    assert corrected(line) == "vllm serve m --port 8000"


@pytest.mark.parametrize(
    ("version", "expected"), [("0.17.1", 0), ("0.17.0", 0), ("0.18.0", 1), ("0.33.0", 1)]
)
def test_it_depends_on_the_version(version: str, expected: int) -> None:
    assert len(findings("vllm serve m --swap-space 8", CODE, version)) == expected


def test_the_image_tells_the_version() -> None:
    line = "docker run vllm/vllm-openai:v{} --model m --swap-space 8 --ipc=host"

    assert codes(line.format("0.9.1").replace(" --ipc=host", ""), None) == []
    assert CODE in codes(line.format("0.18.0").replace(" --ipc=host", ""), None)


def test_without_a_version_the_newest_is_taken_and_said() -> None:
    finding = only("vllm serve m --swap-space 8", CODE, None)

    assert "none was told" in finding["explanation"]
    assert finding["confidence"] == "medium"


def test_old_speculation_becomes_one_json_value() -> None:
    line = "vllm serve m --speculative-model d --num-speculative-tokens 5 --port 1"

    assert len(findings(line, CODE)) == 1
    assert corrected(line) == (
        'vllm serve m --speculative-config \'{"model": "d", "num_speculative_tokens": 5}\' --port 1'
    )


def test_ngram_by_the_old_flags() -> None:
    line = "vllm serve m --speculative-model [ngram] --num-speculative-tokens 3"

    assert '{"method": "ngram", "num_speculative_tokens": 3}' in corrected(line)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--disable-log-requests", ""),
        ("--no-disable-log-requests", ""),
        ("--use-v2-block-manager", ""),
        ("--device cuda", ""),
        ("--task embed", "--runner pooling --convert embed"),
        ("--task=generate", "--runner generate"),
        ("--cuda-graph-sizes 1 2 4", "--cudagraph-capture-sizes 1 2 4"),
        ("--guided-decoding-backend xgrammar", "--structured-outputs-config.backend xgrammar"),
        ("--guided_decoding_backend=outlines", "--structured-outputs-config.backend outlines"),
        ("--worker-use-ray", "--distributed-executor-backend ray"),
        ("--disable-mm-preprocessor-cache", "--mm-processor-cache-gb 0"),
        ("--enable-reasoning --reasoning-parser qwen3", "--reasoning-parser qwen3"),
    ],
)
def test_what_takes_its_place(old: str, new: str) -> None:
    expected = f"vllm serve m {new} --port 1".replace("  ", " ")

    assert corrected(f"vllm serve m {old} --port 1") == expected


def test_a_flag_of_old_that_took_no_value_does_not_take_the_model() -> None:
    assert corrected("vllm serve --disable-log-requests m") == "vllm serve m"


def test_a_variable_that_is_gone_is_a_warning() -> None:
    line = "VLLM_USE_V1=0 vllm serve m"

    finding = only(line, CODE)

    assert finding["severity"] == "warning"
    assert finding["title"] == "VLLM_USE_V1 does nothing since vLLM 0.11.1"
    assert corrected(line) == "vllm serve m"


def test_a_variable_of_the_version_is_none() -> None:
    assert findings("VLLM_USE_V1=0 vllm serve m", CODE, "0.9.1") == []
    assert findings("VLLM_LOGGING_LEVEL=DEBUG vllm serve m", CODE) == []


def test_a_fatal_variable() -> None:
    line = "VLLM_USE_V1=0 vllm serve m --fail-on-environ-validation"

    assert only(line, CODE)["severity"] == "error"
