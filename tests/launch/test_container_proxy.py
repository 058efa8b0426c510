"""KVD301 of a server that is started in a container."""

from __future__ import annotations

import pytest

from doctor.launch.judging import Wanted, judge, read
from doctor.registry import load

IMAGE = "vllm/vllm-openai:v0.11.0"


def told(line: str) -> list[str]:
    (judged,) = judge(read(line), "the line", Wanted(), load().selected([], []))
    return [finding.title for finding in judged.findings if finding.code == "KVD301"]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ("-e HTTPS_PROXY=http://127.0.0.1:7890", 1),
        ("-e https_proxy=socks5://localhost:1080", 1),
        ("-e HTTPS_PROXY=http://host.docker.internal:7890", 0),
        ("--network host -e HTTPS_PROXY=http://127.0.0.1:7890", 0),
        ("--network container:clash -e HTTPS_PROXY=http://127.0.0.1:7890", 0),
        ("-p 7890:7890 -e HTTPS_PROXY=http://127.0.0.1:7890", 0),
        ("-e NO_PROXY=127.0.0.1", 0),
    ],
)
def test_a_proxy_on_the_containers_own_localhost(options: str, count: int) -> None:
    line = f"docker run --gpus all --ipc=host {options} {IMAGE} --model Qwen/Qwen3-8B"
    assert len(told(line)) == count


def test_outside_of_a_container_it_may_be_right() -> None:
    assert told("HTTPS_PROXY=http://127.0.0.1:7890 vllm serve Qwen/Qwen3-8B") == []
