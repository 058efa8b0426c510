from __future__ import annotations

import pytest

from tests.checks.launch.world import corrected, findings, only

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
        *(
            (
                f"CUDA_VISIBLE_DEVICES={value} vllm serve m -tp 2",
                "CUDA_VISIBLE_DEVICES is not a list of numbers",
            )
            for value in ("'[0, 1]'", "'\"0,1\"'", "cuda:0,cuda:1", "'0;1'", "'0 1'", "0-1")
        ),
        (
            "docker run -e CUDA_VISIBLE_DEVICES=all vllm/vllm-openai:v0.32.0 --model m",
            "CUDA_VISIBLE_DEVICES does not know 'all'",
        ),
        *(
            (
                f"docker run {given} -e CUDA_VISIBLE_DEVICES=2,3 vllm/vllm-openai:v0.32.0 --model m"
                " -tp 2",
                "CUDA_VISIBLE_DEVICES names GPUs that the container does not have",
            )
            for given in (
                "--runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=2,3",
                "--gpus '\"device=2,3\"'",
                "--gpus 2",
                "--device nvidia.com/gpu=2 --device nvidia.com/gpu=3",
            )
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
        "CUDA_VISIBLE_DEVICES='0, 1' vllm serve m -tp 2",
        "CUDA_VISIBLE_DEVICES=GPU-0f1e2d3c,GPU-1f2e3d4c vllm serve m -tp 2",
        # What stands for the numbers is not known.
        "CUDA_VISIBLE_DEVICES='[GPUS]' vllm serve m",
        "CUDA_VISIBLE_DEVICES=$GPUS vllm serve m -tp 2",
        "CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2 --nnodes 2",
        *(
            f"docker run {given} vllm/vllm-openai:v0.32.0 --model m -tp 2"
            for given in (
                "--gpus all -e CUDA_VISIBLE_DEVICES=2,3",
                # The option decides, not the variable.
                "--gpus all -e NVIDIA_VISIBLE_DEVICES=2,3 -e CUDA_VISIBLE_DEVICES=2,3",
                "--gpus '\"device=2,3\"' -e CUDA_VISIBLE_DEVICES=0,1",
                "-e NVIDIA_VISIBLE_DEVICES=all -e CUDA_VISIBLE_DEVICES=2,3",
                # It sees the host's GPUs.
                "--privileged --gpus '\"device=2,3\"' -e CUDA_VISIBLE_DEVICES=2,3",
                "--device nvidia.com/gpu=all -e CUDA_VISIBLE_DEVICES=2,3",
            )
        ),
    ],
)
def test_what_may_be(line: str) -> None:
    assert findings(line, CODE) == []


COMPOSE = """\
services:
  vllm:
    image: vllm/vllm-openai:v0.32.0
    command: --model m
    environment:
      - CUDA_VISIBLE_DEVICES=3
"""
POD = """\
kind: Pod
spec:
  containers:
    - name: vllm
      image: vllm/vllm-openai:v0.32.0
      args: ["--model", "m"]
      env:
        - {name: CUDA_VISIBLE_DEVICES, value: "1"}
      resources: {limits: {nvidia.com/gpu: 1}}
"""
GIVEN = """\
    deploy:
      resources:
        reservations:
          devices:
            - {driver: nvidia, device_ids: ["3"], capabilities: [gpu]}
"""


def test_numbers_of_the_host_in_a_container_of_a_file() -> None:
    title = "CUDA_VISIBLE_DEVICES names GPUs that the container does not have"
    (found,) = findings(COMPOSE + GIVEN, CODE)
    assert found["title"] == title
    assert "- CUDA_VISIBLE_DEVICES=3" not in corrected(COMPOSE + GIVEN)
    assert findings(COMPOSE + GIVEN + "    privileged: true\n", CODE) == []
    assert findings(COMPOSE, CODE) == []
    assert [one["title"] for one in findings(POD, CODE)] == [title]
    seeing_all = POD.replace(
        "      env:\n", "      env:\n        - {name: NVIDIA_VISIBLE_DEVICES, value: all}\n"
    )
    assert findings(seeing_all, CODE) == []


def test_a_list_in_another_form_is_told_as_it_has_to_be() -> None:
    line = "CUDA_VISIBLE_DEVICES='[\"cuda:2\", 4-6]' vllm serve m -tp 4"
    assert "Write CUDA_VISIBLE_DEVICES=2,4,5,6." in only(line, CODE)["explanation"]


def test_quotes_that_a_compose_file_keeps() -> None:
    quoted = COMPOSE.replace("CUDA_VISIBLE_DEVICES=3", 'CUDA_VISIBLE_DEVICES="2,3"')
    (found,) = findings(quoted, CODE)
    assert "Write CUDA_VISIBLE_DEVICES=2,3." in found["explanation"]
