"""What ``kvdoctor bench --export`` writes, run by the engines of load that it is for.

Each has an environment of its own (setup_loads.py); the engine on loopback is of a known speed, and
what the other measures on it is held against what ``bench`` itself measures.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from doctor.demo.http import LoopbackServer
from tests.benchcmd.engine import KEY, SlottedEngine

from .conftest import thorough
from .setup_loads import LARGE, LOADS, load_program
from .setup_servers import locate

ROOT = Path(__file__).resolve().parents[2]
LOAD = ("--concurrency", "1,3", "--requests", "6", "--output-tokens", "8", "--prompt-tokens", "40")
# Seconds to the first token, and to each other one: long against what a busy machine adds to each.
FIRST, EACH = 0.3, 0.08
APART = 0.5


@dataclass(frozen=True)
class Told:
    """Of one load: requests that were answered, and medians in seconds."""

    requests: int
    ttft: float
    tpot: float


async def run(folder: Path, url: str, *words: str, **variables: str) -> tuple[int, str]:
    """Exit code, and all that was written to stdout."""
    process = await asyncio.create_subprocess_exec(
        *words,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT) if words[0] == sys.executable else "",
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": url,
            "OPENAI_MODEL": "shop-8b",
            "HF_HUB_OFFLINE": "1",
            **variables,
        },
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT if words[0] != sys.executable else None,
    )
    out, _err = await process.communicate()
    return process.returncode or 0, out.decode()


async def locust(program: Path, folder: Path, url: str, text: str) -> list[Told]:
    (folder / "load.py").write_text(text)
    words = ("--headless", "--only-summary", "--csv", "told", "-f", "load.py")
    code, out = await run(folder, url, str(program), *words)
    assert code == 0, out
    rows = {
        (row["Type"], row["Name"]): row
        for row in csv.DictReader((folder / "told_stats.csv").read_text().splitlines())
    }

    def median(kind: str, load: str) -> float:
        return float(rows[kind, load]["Median Response Time"]) / 1000

    return [
        Told(int(rows["POST", load]["Request Count"]), median("TTFT", load), median("TPOT", load))
        for load in ("load 1", "load 3")
    ]


async def guidellm(program: Path, folder: Path, url: str, text: str) -> list[Told]:
    (folder / "load.json").write_text(text)
    tokenizer = f"kind=hf_auto,model={locate().model}"
    words = ("run", "-c", "load.json", "--tokenizer", tokenizer, "--disable-progress")
    code, out = await run(folder, url, str(program), *words, GUIDELLM__SPEC__BACKEND__API_KEY=KEY)
    assert code == 0, out
    found = []
    for each in json.loads((folder / "benchmarks.json").read_text())["benchmarks"]:
        metrics = each["metrics"]
        # What it calls the time per output token has the first one in it.
        ttft, tpot = (
            metrics[name]["successful"]["median"] / 1000
            for name in ("time_to_first_token_ms", "inter_token_latency_ms")
        )
        found.append(Told(metrics["request_totals"]["successful"], ttft, tpot))
    return found


RUN = {"locust": locust, "guidellm": guidellm}


async def own(folder: Path, url: str) -> list[Told]:
    """What ``bench`` measures itself."""
    words = (sys.executable, "-m", "doctor", "bench", *LOAD, "--repeats", "1", "--format", "json")
    code, out = await run(folder, url, *words)
    assert code == 0
    return [
        Told(level["requests"], level["ttft_s"]["p50"]["value"], level["tpot_s"]["p50"]["value"])
        for level in json.loads(out)["levels"]
    ]


@pytest.mark.parametrize("name", LOADS)
async def test_the_other_engine_sends_the_same_and_measures_the_same(
    name: str, tmp_path: Path
) -> None:
    if name == LARGE and not thorough():
        pytest.skip("a large environment: KVDOCTOR_LIVE=all")
    program = load_program(name)
    assert program is not None, "python tests/live/setup_servers.py"
    engine = SlottedEngine(first=FIRST, each=EACH, below="/gw")
    async with LoopbackServer(engine) as server:
        url = f"{server.origin}/gw/v1"
        words = (sys.executable, "-m", "doctor", "bench", "--export", name, *LOAD)
        code, text = await run(tmp_path, url, *words)
        assert code == 0
        assert KEY not in text
        assert engine.asked == []
        theirs = await RUN[name](program, tmp_path, url, text)
        keys = {request.header("authorization") for request in server.requests}
        asked, most = list(engine.asked), engine.most
        mine = await own(tmp_path, url)

    # Six of each load, with one and with three at once.
    assert len(asked) == 12
    assert most == 3
    assert keys == {f"Bearer {KEY}"}
    budgets = {body.get("max_tokens") or body.get("max_completion_tokens") for body in asked}
    assert budgets == {8}
    assert {body["model"] for body in asked} == {"shop-8b"}
    assert all(body["stream"] for body in asked)
    assert len({str(body["messages"]) for body in asked}) == 12

    assert [one.requests for one in theirs] == [one.requests for one in mine] == [6, 6]
    for one, other in zip(mine, theirs, strict=True):
        assert one.ttft == pytest.approx(other.ttft, rel=APART)
        assert one.tpot == pytest.approx(other.tpot, rel=APART)
        assert one.ttft >= FIRST
        assert one.tpot >= EACH
