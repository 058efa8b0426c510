from __future__ import annotations

from pathlib import Path

import pytest

from tests.checks.launch.world import codes, config_file, corrected, findings, only

CODE = "KVD910"


def test_a_window_over_the_models(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    line = "vllm serve m --max-model-len 128k"

    finding = only(line, CODE, config=config)

    assert finding["title"] == "Window 128,000, the model's own is 40,960"
    assert corrected(line, config=config) == "vllm serve m --max-model-len 40960"


def test_a_window_that_fits(tmp_path: Path) -> None:
    config = config_file(tmp_path)

    for length in ("40960", "40K", "auto", "-1"):
        assert codes(f"vllm serve m --max-model-len {length}", config=config) == []


@pytest.mark.parametrize(
    ("scaling", "fits"),
    [
        ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, True),
        ({"type": "linear", "factor": 4.0}, True),
        ({"rope_type": "llama3", "factor": 8.0}, False),
        ({"full": {"rope_type": "yarn"}}, True),
    ],
)
def test_scaled_positions(tmp_path: Path, scaling: object, fits: bool) -> None:
    config = config_file(tmp_path, rope_scaling=scaling)

    found = findings("vllm serve m --max-model-len 131072", CODE, config=config)

    assert bool(found) is not fits


def test_overridden_on_purpose(tmp_path: Path) -> None:
    config = config_file(tmp_path)
    line = "vllm serve m --max-model-len 131072"
    override = """ --hf-overrides '{"rope_parameters": {"rope_type": "yarn", "factor": 4}}'"""

    assert findings(line + override, CODE, config=config) == []
    allowed = only(f"VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 {line}", CODE, config=config)
    assert allowed["severity"] == "warning"


def test_the_language_model_of_a_multimodal_one(tmp_path: Path) -> None:
    config = config_file(
        tmp_path, max_position_embeddings=None, text_config={"max_position_embeddings": 8192}
    )

    assert only("vllm serve m --max-model-len 9000", CODE, config=config)
