"""The verdict on a line is vLLM's own, as it was recorded from the real 0.32.0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.launch import examine
from tests.launch.matrix import GUIDES, MATRIX, VERSION, ours, recorded

# What a line with ``config`` is judged by: the model that the real vLLM was given.
TINY = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 1024,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("tiny") / "config.json"
    path.write_text(json.dumps(TINY))
    return str(path)


@pytest.mark.parametrize("index", range(len(MATRIX)), ids=lambda i: " ".join(MATRIX[i].argv)[:80])
def test_the_verdict_is_the_one_recorded(index: int, config: str) -> None:
    line = MATRIX[index]

    document = ours(line.argv, config if line.config else None)

    said = [f"{f['code']} {f['severity']} {f['title']}" for f in document["findings"]]
    assert document["accepted"] is recorded()[index], said


def test_right_lines_are_not_changed() -> None:
    for line, accepted in zip(MATRIX, recorded(), strict=True):
        document = ours(line.argv, None)
        if accepted and not line.config and not document["findings"]:
            assert document["corrected"]["argv"] == document["line"]["argv"]
            assert document["changes"] == []


@pytest.mark.parametrize("name", GUIDES)
def test_the_guides_lines_can_be_corrected(name: str) -> None:
    document = examine(GUIDES[name], VERSION)

    assert document["corrected"]["accepted"]
    again = examine(document["corrected"]["text"], VERSION)
    assert again["changes"] == []
