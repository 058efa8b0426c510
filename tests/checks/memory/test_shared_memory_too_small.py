from __future__ import annotations

import pytest

from tests.checks.launch.world import corrected, findings, only

CODE = "KVD812"
RUN = "docker run --gpus all {}vllm/vllm-openai:v0.32.0 --model m -tp {}"
COMPOSE = """services:
  v:
    image: vllm/vllm-openai:v0.32.0
{}    command: --model m -tp 2
"""
POD = """apiVersion: v1
kind: Pod
spec:
  volumes:
  - name: shm
    emptyDir: {{medium: Memory{}}}
  containers:
  - name: v
    image: vllm/vllm-openai:v0.32.0
    args: [--model, m, -tp, "2"]
    volumeMounts:
    - {{name: shm, mountPath: {}}}
"""


def test_several_ranks_in_a_container() -> None:
    finding = only(RUN.format("", 8), CODE)

    assert finding["title"] == "8 ranks with 64 MiB of shared memory"
    assert corrected(RUN.format("", 8)) == (
        "docker run --ipc=host --gpus all vllm/vllm-openai:v0.32.0 --model m -tp 8"
    )


@pytest.mark.parametrize(
    "option", ["--ipc=host ", "--ipc host ", "--shm-size 16g ", "--shm-size=8gb "]
)
def test_enough_of_it(option: str) -> None:
    assert findings(RUN.format(option, 8), CODE) == []


def test_one_rank_needs_none() -> None:
    assert findings(RUN.format("", 1), CODE) == []
    assert findings("vllm serve m -tp 8", CODE) == []


def test_compose() -> None:
    assert only(COMPOSE.format(""), CODE)
    assert "  v:\n    ipc: host\n    image:" in corrected(COMPOSE.format(""))
    assert findings(COMPOSE.format("    shm_size: 8gb\n"), CODE) == []
    assert findings(COMPOSE.format("    ipc: host\n"), CODE) == []


def test_a_pod() -> None:
    assert findings(POD.format("", "/dev/shm"), CODE) == []
    assert findings(POD.format(", sizeLimit: 2Gi", "/dev/shm"), CODE) == []
    assert findings(POD.format(", sizeLimit: 100Mi", "/dev/shm"), CODE)
    assert "emptyDir" in only(POD.format("", "/cache"), CODE)["explanation"]
