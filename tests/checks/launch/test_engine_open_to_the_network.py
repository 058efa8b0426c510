from __future__ import annotations

import pytest

from tests.checks.launch.world import findings, judged, only

CODE = "KVD914"


def test_every_address_without_a_key() -> None:
    finding = only("vllm serve m --host 0.0.0.0 --port 9000", CODE)

    assert finding["title"] == "Port 9000 is open to the network, without a key"
    assert finding["severity"] == "warning"


@pytest.mark.parametrize(
    "line",
    [
        "vllm serve m --host 127.0.0.1",
        "vllm serve m --host 0.0.0.0 --api-key sk-made-up-made-up-made-up",
        "VLLM_API_KEY=sk-made-up-made-up-made-up vllm serve m --host 0.0.0.0",
        "vllm serve m --host 0.0.0.0 --api-key $KEY",
        'vllm serve m --host 0.0.0.0 "$@"',
        "docker run -p 127.0.0.1:8000:8000 vllm/vllm-openai:v0.32.0 --model m --host 0.0.0.0",
        "docker run -p 8000:8000 vllm/vllm-openai:v0.32.0 --model m --host 0.0.0.0",
    ],
)
def test_a_key_a_near_address_or_a_container(line: str) -> None:
    assert findings(line, CODE) == []


def test_an_empty_key_is_none() -> None:
    assert findings(["vllm", "serve", "m", "--host", "0.0.0.0", "--api-key", ""], CODE)


def test_a_port_published_to_everybody() -> None:
    line = "docker run -p 0.0.0.0:80:8000 vllm/vllm-openai:v0.32.0 --model m"

    assert "127.0.0.1:80:8000" in only(line, CODE)["explanation"]


def test_the_network_of_the_host() -> None:
    line = "docker run --network host vllm/vllm-openai:v0.32.0 --model m --host 0.0.0.0"

    assert only(line, CODE)


def test_the_default_is_told_as_a_note() -> None:
    document = judged("vllm serve m")

    assert document["findings"] == []
    assert "no key is set" in " ".join(document["lines"][0]["notes"])
