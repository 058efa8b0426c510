"""``kvdoctor prefix FILE --prove`` against a real vLLM, with its cache on and off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.prefix.requests import RULES, chat

from .servers import RunningServer, start_vllm

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def caching() -> Iterator[RunningServer]:
    with start_vllm(max_model_len=4096) as server:
        yield server


@pytest.fixture(scope="module")
def uncached() -> Iterator[RunningServer]:
    with start_vllm(max_model_len=4096, extra=["--no-enable-prefix-caching"]) as server:
        yield server


def sick() -> list[dict[str, Any]]:
    return [
        chat(f"Current time: 2026-03-01 09:00:{n:02}\n{RULES}", f"question {n}") for n in range(9)
    ]


def stable(rules: str = RULES) -> list[dict[str, Any]]:
    return [chat(rules, f"question {n} of a customer") for n in range(9)]


def prove(server: RunningServer, home: Path, records: list[dict[str, Any]]) -> dict[str, Any]:
    (home / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    words = ["prefix", "log.jsonl", "--prove", "--model", "tiny", "--timeout", "120"]
    done = subprocess.run(
        [sys.executable, "-m", "doctor", *words, "--format", "json"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": server.api_key,
        },
        cwd=home,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    assert server.api_key not in done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in found["findings"]]


def test_the_cause_is_proved(caching: RunningServer, tmp_path: Path) -> None:
    found = prove(caching, tmp_path, sick())

    assert (found["proof"]["shown"], codes(found)) == ("cause", ["KVD701"])
    assert found["proof"]["better"]["second"]["cached_tokens"] > 500
    assert found["proof"]["engine"]["alignment_tokens"] == 32


def test_stable_prompts_hit(caching: RunningServer, tmp_path: Path) -> None:
    found = prove(caching, tmp_path, stable())
    assert (found["proof"]["shown"], codes(found)) == ("well", [])


def test_prompts_shorter_than_a_block(caching: RunningServer, tmp_path: Path) -> None:
    found = prove(caching, tmp_path, stable("Be brief."))
    assert (found["proof"]["shown"], codes(found)) == ("short", ["KVD708"])


def test_caching_is_off(uncached: RunningServer, tmp_path: Path) -> None:
    found = prove(uncached, tmp_path, sick())

    assert found["proof"]["shown"] == "off"
    assert "KVD706" in codes(found)
