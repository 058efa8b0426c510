from __future__ import annotations

import pytest

from tests.checks.launch.world import corrected, findings, only

CODE = "KVD924"
RUN = "docker run -p {} vllm/vllm-openai:v0.32.0 --model m {}"


def test_another_port_is_published() -> None:
    finding = only(RUN.format("8000:8000", "--port 9000"), CODE)

    assert finding["title"] == "Port 8000 is published, vLLM listens on 9000"
    assert "-p 8000:9000" in finding["explanation"]
    assert only(RUN.format("80:80", ""), CODE)


def test_the_containers_own_loopback() -> None:
    line = RUN.format("8000:8000", "--host 127.0.0.1 --port 8000")

    assert only(line, CODE)["title"] == "vLLM listens inside the container only"
    assert corrected(line) == RUN.format("8000:8000", "--port 8000")


@pytest.mark.parametrize(
    ("ports", "more"),
    [
        ("8000:8000", ""),
        ("127.0.0.1:80:8000/tcp", "--host 0.0.0.0 --api-key $K"),
        ("9000:9000", "--port 9000"),
        ("9000", "--port=9000"),
        ("9000:9000", "--port $PORT"),
        ("9000:9000", '"$@"'),
    ],
)
def test_ports_that_lead_somewhere(ports: str, more: str) -> None:
    assert findings(RUN.format(ports, more), CODE) == []


def test_a_line_without_a_container() -> None:
    assert findings("vllm serve m --host 127.0.0.1 --port 9000", CODE) == []
