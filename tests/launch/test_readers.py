"""Every kind of text in which a line may stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.launch import examine
from doctor.launch.judging import NothingFound
from tests.checks.launch.world import codes, corrected, judged

COMPOSE = """services:
  # the engine
  engine:
    image: "vllm/vllm-openai:v0.20.0"  # pinned
    command:
      - --model
      - m
      - --swap-space  # GiB
      - "8"
      - --port=8000
    environment:
      - VLLM_USE_V1=1
      - OTHER=1
  web:
    image: nginx
"""


def test_a_compose_file_keeps_its_form() -> None:
    document = judged(COMPOSE, None)

    assert document["vllm_version"]["version"] == "0.20.0"
    assert [line["kind"] for line in document["lines"]] == ["compose"]
    assert document["corrected"]["text"] == COMPOSE.replace(
        '      - --swap-space  # GiB\n      - "8"\n', ""
    ).replace("      - VLLM_USE_V1=1\n", "")
    assert document["findings"][0]["evidence"][0]["location"] == "line:8"


def test_compose_with_one_string() -> None:
    text = """services:
  engine:
    image: vllm/vllm-openai:v0.20.0
    command: >
      --model m
      --swap-space 8
      --port 8000
"""

    assert corrected(text, None) == text.replace("      --swap-space 8\n", "")


def test_two_services_are_corrected_in_one_text() -> None:
    text = """services:
  a:
    image: vllm/vllm-openai:v0.20.0
    command: --model m --swap-space 8
  b:
    image: vllm/vllm-openai:v0.9.1
    command: --model m --swap-space 8
  c:
    image: vllm/vllm-openai:v0.20.0
    command: ["--model", "m", "--swap-space", "8", "--port", "1"]
"""

    document = judged(text, None)

    assert [line["accepted"] for line in document["lines"]] == [False, True, False]
    assert (
        document["corrected"]["text"]
        == """services:
  a:
    image: vllm/vllm-openai:v0.20.0
    command: --model m
  b:
    image: vllm/vllm-openai:v0.9.1
    command: --model m --swap-space 8
  c:
    image: vllm/vllm-openai:v0.20.0
    command: ["--model", "m", "--port", "1"]
"""
    )


def test_what_cannot_be_written_into_the_text_stands_beside_it() -> None:
    text = """services:
  a:
    image: vllm/vllm-openai:v0.20.0
    command: --model m --speculative-model d --num-speculative-tokens 3
"""

    document = judged(text, None)

    assert document["corrected"]["in_place"] is False
    assert document["corrected"]["accepted"]
    assert "--speculative-config" in document["corrected"]["text"]


MANIFEST = """apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: engine
          image: vllm/vllm-openai:v0.20.0
          command: ["/bin/sh", "-c"]
          args:
            - |
              # go
              vllm serve m \\
                --swap-space 8 \\
                --port 8000
"""


def test_a_script_inside_a_manifest() -> None:
    assert corrected(MANIFEST, None) == MANIFEST.replace("                --swap-space 8 \\\n", "")
    assert judged(MANIFEST, None)["lines"][0]["id"] == "engine"


def test_the_last_stage_of_a_dockerfile() -> None:
    text = """FROM python:3.12 AS base
CMD ["vllm", "serve", "other", "--swap-space", "1"]
FROM vllm/vllm-openai:v0.20.0
ENV VLLM_USE_V1=1
ENTRYPOINT ["vllm", "serve"]
CMD ["m", "--swap-space", "8", "--port", "1"]
"""

    assert corrected(text, None) == (
        text.replace("ENV VLLM_USE_V1=1\n", "").replace(', "--swap-space", "8"', "")
    )


def test_vllms_own_file() -> None:
    text = "# engine\nmodel: m\nswap-space: 8  # GiB\nenable-prefix-caching: false\nport: 1\n"

    assert codes(text) == ["KVD901", "KVD706"]
    assert corrected(text) == text.replace("swap-space: 8  # GiB\n", "")


def test_a_config_file_beside_the_line(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("max-model-len: 1.5K\nport: 9\n")
    line = "vllm serve m --config c.yaml --port 1"

    document = examine(line, "0.32.0", folder=str(tmp_path))

    assert [f["code"] for f in document["findings"]] == ["KVD919"]
    assert examine(line + " --max-model-len 5", "0.32.0", folder="/nowhere")["findings"] == []


def test_what_docker_inspect_tells() -> None:
    text = json.dumps(
        [
            {
                "Name": "/engine",
                "Config": {
                    "Image": "vllm/vllm-openai:v0.20.0",
                    "Entrypoint": ["vllm", "serve"],
                    "Cmd": ["m", "--swap-space", "8", "-tp", "2"],
                    "Env": ["VLLM_USE_V1=0", "PATH=/bin"],
                },
                "HostConfig": {"ShmSize": 67108864, "IpcMode": "private", "PortBindings": {}},
            }
        ]
    )

    document = judged(text, None)

    assert [f["code"] for f in document["findings"]] == ["KVD901", "KVD812", "KVD901"]
    assert document["corrected"]["text"] == "vllm serve m -tp 2"


def test_the_words_of_a_command() -> None:
    argv = ["vllm", "serve", "a b", "--swap-space", "8"]

    assert examine(argv, "0.32.0")["corrected"]["argv"] == ["vllm", "serve", "a b"]


@pytest.mark.parametrize(
    "line",
    [
        "podman run --rm -it docker.io/vllm/vllm-openai:v0.20.0 --model m --swap-space=8",
        "docker run --entrypoint vllm img:1 serve m --swap-space 8",
        "docker run --entrypoint bash vllm/vllm-openai:v0.20.0 -c 'vllm serve m --swap-space 8'",
        "sudo nohup vllm serve m --swap-space 8",
        "/opt/venv/bin/python3 -m vllm.entrypoints.openai.api_server --model m --swap-space 8",
        "conda run -n e vllm serve m --swap-space 8",
        "A=1 B=2 env C=3 vllm serve m --swap-space 8",
        "cd /x && source a && exec vllm serve m --swap-space 8",
        "kubectl exec p -- vllm serve m --swap-space 8",
        "bash -lc 'vllm serve m --swap-space 8'",
        "--swap-space 8",
    ],
)
def test_ways_to_start_it(line: str) -> None:
    document = judged(line, "0.20.0")

    assert [f["code"] for f in document["findings"]] == ["KVD901"]
    assert "--swap-space" not in document["corrected"]["text"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ls -la",
        "pip install vllm",
        "just some words about vllm serve",
        "services:\n  web:\n    image: nginx\n",
        '{"a": 1}',
        "services: [",
        "\x00\x01",
    ],
)
def test_nothing_to_judge(text: str) -> None:
    if text == "just some words about vllm serve":
        # What stands there is a command without a model.
        assert codes(text) == ["KVD916"]
        return
    with pytest.raises(NothingFound):
        examine(text)


def test_a_text_with_very_many_lines_says_how_many_are_judged() -> None:
    document = judged("vllm serve m --port 1\n" * 40)

    assert len(document["lines"]) == 25
    assert "Only the first 25" in document["lines"][-1]["notes"][0]


def test_versions_and_where_they_come_from() -> None:
    def origin(text: str, version: str | None = None) -> tuple[str, str]:
        told = examine(text, version)["vllm_version"]
        return told["version"], told["judged_by"]

    assert origin("vllm serve m", "v0.19.0") == ("0.19.0", "0.18.0")
    assert origin("vllm serve m", "0.6.6") == ("0.6.6", "0.6.6.post1")
    assert origin("vllm serve m", "0.99.0") == ("0.99.0", "0.33.0")
    assert origin("vllm serve m", "0.4.2") == ("0.4.2", "0.6.0")
    assert origin("pip install vllm==0.9.1\nvllm serve m") == ("0.9.1", "0.9.1")
    assert origin("docker run vllm/vllm-openai:v0.9.1-x86 --model m")[0] == "0.9.1"
    assert origin("docker run vllm/vllm-openai:latest --model m") == ("0.33.0", "0.33.0")
    with pytest.raises(ValueError):
        examine("vllm serve m", "newest")
