from __future__ import annotations

from pathlib import Path

import pytest

from tests.checks.launch.world import codes, config_file, corrected, findings, only

CODE = "KVD908"


def test_bfloat16_on_an_old_gpu() -> None:
    line = "vllm serve m --dtype bfloat16"

    assert only(line, CODE, gpu="Tesla T4")["severity"] == "error"
    assert corrected(line, gpu="Tesla T4") == "vllm serve m --dtype half"
    assert findings(line, CODE, gpu="A100 80GB") == []
    assert findings(line, CODE) == []


def test_the_models_own_dtype(tmp_path: Path) -> None:
    config = config_file(tmp_path)

    finding = only("vllm serve m --port 1", CODE, gpu="V100", config=config)

    assert finding["severity"] == "warning"
    assert (
        corrected("vllm serve m --port 1", gpu="V100", config=config)
        == "vllm serve m --port 1 --dtype half"
    )
    assert codes("vllm serve m --dtype half", gpu="V100", config=config) == []


@pytest.mark.parametrize("kind", ["gemma2", "gemma3", "gemma3_text", "glm4"])
def test_a_model_that_overflows_in_float16(tmp_path: Path, kind: str) -> None:
    config = config_file(tmp_path, model_type=kind)
    line = "vllm serve m --dtype half --port 1"

    finding = only(line, CODE, config=config)

    assert finding["severity"] == "error"
    assert "does not support float16" in finding["explanation"]
    assert corrected(line, config=config) == "vllm serve m --dtype bfloat16 --port 1"
    assert "bfloat16" in corrected("vllm serve m --dtype=float16", config=config)
    assert codes("vllm serve m --dtype bfloat16", config=config) == []


def test_a_model_that_overflows_on_a_gpu_without_bfloat16(tmp_path: Path) -> None:
    """float16 would be refused next: what is written has to start."""
    config = config_file(tmp_path, model_type="gemma3")

    for dtype in ("half", "bfloat16"):
        line = f"vllm serve m --dtype {dtype}"
        assert corrected(line, gpu="T4", config=config) == "vllm serve m --dtype float32"
    assert corrected("vllm serve m --port 1", gpu="T4", config=config).endswith("--dtype float32")


def test_before_it_was_refused_the_answers_were_bad(tmp_path: Path) -> None:
    config = config_file(tmp_path, model_type="gemma3")

    finding = only("vllm serve m --dtype half", CODE, version="0.8.5", config=config)

    assert finding["severity"] == "warning"
    assert "may be empty or garbled" in finding["explanation"]


def test_other_models_may_be_in_float16(tmp_path: Path) -> None:
    config = config_file(tmp_path, model_type="qwen3")

    assert codes("vllm serve m --dtype half", config=config) == []
