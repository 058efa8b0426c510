"""A real vLLM under load: a small KV cache and more long requests than it can hold.

Its own server: the cache of the others is too large to be filled.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from .servers import POLL_S, RunningServer, start_vllm

ROOT = Path(__file__).resolve().parents[2]
MODEL = "tiny"
WINDOW = 2048
# 72 blocks of 32 tokens: one request of the whole window fits, two do not.
SMALL_CACHE = ("--num-gpu-blocks-override", "72", "--max-num-seqs", "24")
AT_ONCE = 30
PROMPT = "count to a million " * 12


@pytest.fixture(scope="module")
def small_engine() -> Iterator[RunningServer]:
    with start_vllm(max_model_len=WINDOW, extra=SMALL_CACHE) as server:
        yield server


@pytest.fixture(scope="module")
def loaded_engine(small_engine: RunningServer) -> Iterator[RunningServer]:
    """The same under load: long requests, one after another in each of ``AT_ONCE`` threads."""
    server = small_engine
    over = threading.Event()
    busy = threading.Barrier(AT_ONCE + 1)
    body = {"model": MODEL, "max_tokens": 1500, "ignore_eos": True, "stream": True}
    headers = {"content-type": "application/json", "authorization": f"Bearer {server.api_key}"}
    lines = [HTTPConnection("127.0.0.1", server.port, timeout=120) for _ in range(AT_ONCE)]

    def ask(number: int) -> None:
        line = lines[number]
        asked = json.dumps({**body, "prompt": f"{number} {PROMPT}"})
        first = True
        while not over.is_set():
            with contextlib.suppress(OSError, HTTPException):
                line.request("POST", "/v1/completions", asked, headers)
                answer = line.getresponse()
                if first:
                    busy.wait()
                    first = False
                while answer.readline():
                    pass

    threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    # Every request was accepted, and from now on they compete for blocks.
    busy.wait()
    try:
        until_saturated(server)
        yield server
    finally:
        over.set()
        # Also of those that still wait for their first token, so that the engine may end.
        for line in lines:
            if line.sock is not None:
                line.sock.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(30)


def until_saturated(server: RunningServer) -> None:
    """Ends when the engine itself says that its cache was full; on a slow machine that takes
    time. The test's own limit ends it otherwise."""
    before = gauge(server, "vllm:num_preemptions_total")
    while gauge(server, "vllm:num_preemptions_total") < before + 3:
        # Asked without a pause, it has less time to get there.
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.process.wait(POLL_S)


def gauge(server: RunningServer, name: str) -> float:
    address = server.base_url.removesuffix("/v1") + "/metrics"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(address, timeout=60) as answer:
        told = answer.read().decode()
    return sum(
        float(line.rsplit(" ", 1)[1])
        for line in told.splitlines()
        if line.startswith((f"{name} ", f"{name}{{"))
    )


def kvdoctor(server: RunningServer, home: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, document and all that was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "doctor", *arguments, "--format", "json"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": server.api_key,
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_MODEL": MODEL,
        },
        cwd=home,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout), done.stdout + done.stderr


def test_at_rest_nothing_is_found(small_engine: RunningServer, tmp_path: Path) -> None:
    code, report, printed = kvdoctor(small_engine, tmp_path, "check")

    assert (code, report["findings"]) == (0, [])
    assert {hop["hop"]: hop["status"] for hop in report["path"]}["kv"] == "ok"
    assert small_engine.api_key not in printed


def test_watching_it_at_rest(small_engine: RunningServer, tmp_path: Path) -> None:
    code, document, _ = kvdoctor(
        small_engine, tmp_path, "watch", "--interval", "0.5", "--count", "3"
    )

    assert code == 0
    assert [sample["waiting"] for sample in document["samples"]] == [0, 0, 0]
    assert all(sample["kv_usage"] < 0.1 for sample in document["samples"])


def test_more_than_the_cache_holds(loaded_engine: RunningServer, tmp_path: Path) -> None:
    # The engine preempts every second or two, on a slow machine more seldom.
    code, report, printed = kvdoctor(
        loaded_engine, tmp_path, "check", "--timeout", "60", "--window", "20"
    )

    found = {finding["code"]: finding for finding in report["findings"]}
    assert code == 1
    assert found["KVD807"]["severity"] == "error"
    assert found["KVD808"]["explained_by"] == "KVD807"
    assert found["KVD809"]["explained_by"] == "KVD807"
    # The flag that is in force, and not one that has no effect here.
    assert (
        "--num-gpu-blocks-override limits the cache to 72 blocks"
        in (found["KVD807"]["explanation"])
    )
    assert "utilization" not in found["KVD807"]["explanation"]
    assert loaded_engine.api_key not in printed


def test_watching_it_under_load(loaded_engine: RunningServer, tmp_path: Path) -> None:
    code, document, _ = kvdoctor(
        loaded_engine, tmp_path, "watch", "--interval", "4", "--count", "8", "--timeout", "60"
    )

    samples = document["samples"]
    assert code == 1
    # Each preemption frees the blocks of one request: a look may find the cache less than full.
    assert max(sample["kv_usage"] for sample in samples) >= 0.7
    assert any(sample["preempted"] for sample in samples)
    assert any(sample["generation_rate"] for sample in samples)
    assert all(sample["inter_token_p50"] is not None for sample in samples[2:])
