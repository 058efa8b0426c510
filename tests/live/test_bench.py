"""``kvdoctor bench`` against a real vLLM: its own histograms, and its own benchmark, say the same.

Its own server, with four slots.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .conftest import thorough
from .servers import RunningServer, start_vllm
from .setup_servers import locate

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "doctor" / "schemas" / "bench-1.json").read_text("utf-8"))
SLOTS = 4
PROMPT, OUTPUT = 100, 300
# What two runs on one machine may differ by; what is compared is of the order of a second.
APART = 0.4
# An engine on the CPU takes all of it: who only passes tokens on must come first, or the tokens
# come in one burst and nothing is measured.
FIRST = ("nice", "-n", "-15") if hasattr(os, "geteuid") and os.geteuid() == 0 else ()


@pytest.fixture(scope="module")
def slotted() -> Iterator[RunningServer]:
    if not thorough():
        pytest.skip("minutes of load, and a machine of one's own: KVDOCTOR_LIVE=all")
    with start_vllm(extra=("--max-num-seqs", str(SLOTS))) as server:
        yield server


def bench(server: RunningServer, home: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [*FIRST, sys.executable, "-m", "doctor", "bench", *arguments,
         "--prompt-tokens", str(PROMPT), "--output-tokens", str(OUTPUT), "--format", "json"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": server.api_key,
            "OPENAI_BASE_URL": server.base_url,
        },
        cwd=home,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert server.api_key not in done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def test_a_sweep_finds_the_slots(slotted: RunningServer, tmp_path: Path) -> None:
    found = bench(slotted, tmp_path, "--up-to", "16", "--requests", "24", "--seconds", "20")

    knee = found["knee"]
    assert knee["reached"]
    assert (knee["limit"]["kind"], knee["limit"]["at"]) == ("max-num-seqs", SLOTS)
    # Four run at once; a load of eight closes the gaps between one answer and the next request.
    assert knee["load"] in ("4", "8")
    assert found["setup"]["flag --max-num-seqs"] == str(SLOTS)
    assert found["setup"]["vllm"].startswith("0.")
    last = found["levels"][-1]
    assert last["errors"] == {}
    # Exact lengths: the engine itself counted them.
    assert last["output_tokens"] == last["requests"] * OUTPUT
    assert last["prompt_tokens"] == pytest.approx(last["requests"] * PROMPT, rel=0.1)


def test_its_own_histograms_say_the_same(slotted: RunningServer, tmp_path: Path) -> None:
    [level] = bench(slotted, tmp_path, "--concurrency", "8", "--requests", "32", "--repeats", "1")[
        "levels"
    ]
    late = 2 * level["client_lag_s"]
    engine = level["engine"]

    first = level["ttft_s"]["mean"]
    assert first == pytest.approx(engine["ttft_mean_s"], rel=0.15, abs=late)
    # A lateness counts once for all tokens of an answer.
    each = level["tpot_s"]["mean"]
    assert each == pytest.approx(engine["inter_token_mean_s"], rel=0.15, abs=late / OUTPUT)


def test_its_own_benchmark_says_the_same(slotted: RunningServer, tmp_path: Path) -> None:
    ours, theirs = [], []
    for _time in range(2):
        load = ("--concurrency", "8", "--requests", "32", "--repeats", "1")
        ours += bench(slotted, tmp_path, *load)["levels"]
        theirs.append(vllm_bench(slotted, tmp_path, concurrency=8, requests=32))

    assert {one["completed"] for one in theirs} == {one["requests"] for one in ours} == {32}
    # The best of each: what other work on the machine adds is noise.
    for mine, other in (("ttft_s", "mean_ttft_ms"), ("tpot_s", "mean_tpot_ms")):
        least = min(one[other] for one in theirs) / 1000
        assert min(one[mine]["mean"] for one in ours) == pytest.approx(least, rel=APART)
    most = max(one["output_throughput"] for one in theirs)
    assert max(one["output_tokens_per_s"] for one in ours) == pytest.approx(most, rel=APART)


def vllm_bench(
    server: RunningServer, home: Path, *, concurrency: int, requests: int
) -> dict[str, Any]:
    prepared = locate()
    done = subprocess.run(
        [*FIRST, str(prepared.vllm), "bench", "serve", "--base-url", server.root_url,
         "--model", "tiny", "--tokenizer", str(prepared.model), "--backend", "openai-chat",
         "--endpoint", "/v1/chat/completions", "--dataset-name", "random",
         "--random-input-len", str(PROMPT), "--random-output-len", str(OUTPUT), "--ignore-eos",
         "--num-prompts", str(requests), "--max-concurrency", str(concurrency),
         "--num-warmups", "2", "--save-result", "--result-dir", str(home),
         "--result-filename", "theirs.json"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "OPENAI_API_KEY": server.api_key,
        },
        cwd=home,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]
    found: dict[str, Any] = json.loads((home / "theirs.json").read_text())
    return found
