from __future__ import annotations

from pathlib import Path

from tests.checks.launch.world import codes, config_file, corrected, findings, only

CODE = "KVD907"


def test_the_weights_are_in_another_format(tmp_path: Path) -> None:
    config = config_file(tmp_path, quantization_config={"quant_method": "gptq"})
    line = "vllm serve m --quantization awq --port 1"

    finding = only(line, CODE, config=config)

    assert finding["title"] == "The weights are gptq, the line says awq"
    assert corrected(line, config=config) == "vllm serve m --port 1"


def test_kernels_of_the_same_format(tmp_path: Path) -> None:
    config = config_file(tmp_path, quantization_config={"quant_method": "awq"})

    assert codes("vllm serve m -q awq_marlin", config=config) == []


def test_weights_that_are_not_quantized(tmp_path: Path) -> None:
    config = config_file(tmp_path)

    assert "not quantized" in only("vllm serve m -q awq", CODE, config=config)["title"]
    assert findings("vllm serve m -q fp8", CODE, config=config) == []


def test_the_name_says_otherwise() -> None:
    finding = only("vllm serve Org/Model-7B-GPTQ-Int4 --quantization awq", CODE)

    assert finding["confidence"] == "medium"
    assert findings("vllm serve Org/Model-7B-AWQ --quantization awq", CODE) == []


def test_awq_does_not_run_in_32_bits() -> None:
    line = "vllm serve Org/Model-AWQ --quantization awq --dtype float32"

    assert only(line, CODE)["severity"] == "error"
    assert corrected(line) == "vllm serve Org/Model-AWQ --quantization awq"
