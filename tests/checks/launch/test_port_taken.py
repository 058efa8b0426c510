from __future__ import annotations

from tests.checks.launch.world import findings, only

CODE = "KVD912"
COMPOSE = """services:
  a:
    image: vllm/vllm-openai:v0.32.0
    command: --model m
    ports: ["127.0.0.1:{}:8000"]
  b:
    image: vllm/vllm-openai:v0.32.0
    command: --model n
    ports: ["127.0.0.1:8000:8000"]
"""


def test_two_services_want_one_port() -> None:
    finding = only(COMPOSE.format(8000), CODE)

    assert finding["title"] == "Port 8000 is published twice"
    assert finding["target"] == "b"
    assert "8001:8000" in finding["explanation"]


def test_ports_of_their_own() -> None:
    assert findings(COMPOSE.format(8001), CODE) == []
