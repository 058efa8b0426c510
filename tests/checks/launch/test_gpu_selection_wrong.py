from __future__ import annotations

import pytest

from tests.checks.launch.world import findings, only

CODE = "KVD917"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2", "2 ranks, 1 visible GPUs"),
        ("CUDA_VISIBLE_DEVICES= vllm serve m", "CUDA_VISIBLE_DEVICES hides every GPU"),
        ("CUDA_VISIBLE_DEVICES=0,0 vllm serve m -tp 2", "CUDA_VISIBLE_DEVICES names a GPU twice"),
        (
            "CUDA_VISIBLE_DEVICES=MIG-a,MIG-b vllm serve m -tp 2",
            "A process sees one MIG instance only",
        ),
        (
            "docker run -e CUDA_VISIBLE_DEVICES=all vllm/vllm-openai:v0.32.0 --model m",
            "CUDA_VISIBLE_DEVICES does not know 'all'",
        ),
    ],
)
def test_what_cannot_be(line: str, title: str) -> None:
    assert only(line, CODE)["title"] == title


@pytest.mark.parametrize(
    "line",
    [
        "CUDA_VISIBLE_DEVICES=0,1 vllm serve m -tp 2",
        "CUDA_VISIBLE_DEVICES=3 vllm serve m",
        "CUDA_VISIBLE_DEVICES=MIG-a vllm serve m",
        "CUDA_VISIBLE_DEVICES=$GPUS vllm serve m -tp 2",
        "CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2 --nnodes 2",
    ],
)
def test_what_may_be(line: str) -> None:
    assert findings(line, CODE) == []
