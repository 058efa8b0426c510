"""GPU memory and load beside a benchmark: recordings stand in for NVML's library."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from doctor.bench.compare import compared
from doctor.bench.gpus import GpuUse, folded, together
from doctor.bench.knee import Limit, knee_of
from doctor.bench.running import Run
from doctor.demo.http import LoopbackServer
from doctor.facts.gpus import GpuLoad
from doctor.models import Confidence

from .engine import SlottedEngine
from .runs import level, looks, repeat
from .test_command import run, told

GIB = 2**30
# pynvml itself loads the driver's library; this answers from a recording.
STAND_IN = """
from pathlib import Path
from tests.probes.recorded_nvml import RecordedError as NVMLError, RecordedNvml
_library = RecordedNvml(Path(__file__).with_name("recording"))
def __getattr__(name):
    return getattr(_library, name)
"""


def machine(folder: Path, pid: int) -> None:
    """Two GPUs; the process ``pid`` computes on the second."""
    devices: list[dict[str, Any]] = [
        {
            "uuid": f"GPU-{index}",
            "name": "NVIDIA L4",
            "memory": {"total": 24 * GIB, "used": used * GIB, "free": (24 - used) * GIB},
            "compute": [{"pid": holder, "usedGpuMemory": used * GIB}],
            "graphics": [],
            "utilization": {"gpu": 95, "memory": 40},
            "clocks_event_reasons": 4,
        }
        for index, used, holder in ((0, 3, 1), (1, 21, pid))
    ]
    text = json.dumps({"init": None, "driver": "570.86.15", "devices": devices})
    (folder / "recording.json").write_text(text)
    (folder / "pynvml.py").write_text(STAND_IN)


# Longer than it takes to look once.
LOAD = ("--prompt-tokens", "20", "--output-tokens", "16", "--concurrency", "2", "--requests", "4",
        "--repeats", "1", "--warmup", "0")  # fmt: skip


async def bench(folder: Path, pid: int, *arguments: str) -> tuple[str, str]:
    machine(folder, pid)
    async with LoopbackServer(SlottedEngine(each=0.05)) as server:
        code, out, err = await run(folder, f"{server.origin}/v1", *LOAD, *arguments, path=folder)
    assert code == 0, err
    return out, err


async def test_the_engines_gpu_is_looked_at_beside_the_load(tmp_path: Path) -> None:
    # The engine on loopback is this process.
    out, _err = await bench(tmp_path, os.getpid(), "--format", "json", "--save", "one")
    [gpu] = told(out)["levels"][0]["gpus"]
    assert gpu.pop("looks") >= 1
    assert gpu == {
        "index": 1,
        "memory_used_max_bytes": 21 * GIB,
        "memory_total_bytes": 24 * GIB,
        "busy_mean": pytest.approx(0.95),
        "slowed_by_power": 1.0,
        "slowed_by_heat": 0.0,
    }
    # What was kept holds it, and people are told of it.
    _code, kept, _err = await run(tmp_path, "http://127.0.0.1:9/v1", "--from", "one")
    assert "21.0 GiB / 24.0 GiB" in kept
    assert "95%" in kept


async def test_the_gpu_of_somebody_else_is_not_told(tmp_path: Path) -> None:
    """An engine on the CPU of a machine whose GPU computes something else."""
    out, _err = await bench(tmp_path, 2, "--format", "json")
    assert told(out)["levels"][0]["gpus"] == []
    plain, _err = await bench(tmp_path, 2)
    assert "GiB" not in plain
    assert "slowed" not in plain


def test_what_is_not_told_is_not_counted_as_zero() -> None:
    seen = [(GpuLoad(0, used=5, total=10),), (GpuLoad(0, used=7, total=10, busy=0.5),)]
    [use] = folded(seen)
    assert use == GpuUse(0, looks=2, used=7, total=10, busy=0.5)
    assert folded([]) == ()
    [joined] = together([[use], [GpuUse(0, looks=6, busy=0.9, power=0.5)]])
    assert joined == GpuUse(0, 8, used=7, total=10, busy=0.8, power=0.5)


def limit(gpu: GpuUse | None, *, tpot: float = 0.02, engine: Any = ()) -> Limit:
    """Of a sweep that is saturated while nobody waits and a third of the KV cache is used."""
    seen = engine if engine != () else looks((8, 0, 0.3), times=8)
    last = repeat(381, tpot=tpot, engine=seen, gpus=() if gpu is None else (gpu,))
    levels = [level(1, repeat(100)), level(2, repeat(195)), level(4, repeat(380)), level(8, last)]
    knee = knee_of(levels)
    assert knee is not None
    assert knee.limit is not None
    return knee.limit


def test_a_busy_gpu_is_the_limit_where_slots_and_cache_are_free() -> None:
    found = limit(GpuUse(1, looks=20, busy=0.97), tpot=0.05)
    assert (found.kind, found.confidence) == ("compute", Confidence.HIGH)
    assert "GPU 1 is busy 97%" in found.text
    assert "30%" in found.text
    # Long prompts delay the first token, not the ones after it.
    assert limit(GpuUse(1, looks=20, busy=0.97)).kind == "compute"


def test_what_holds_the_clocks_down_is_told_with_it() -> None:
    hot = GpuUse(0, looks=20, busy=0.99, power=0.1, heat=0.9)
    assert "heat holds its clocks down in 90%" in limit(hot).text
    assert "limit of power" in limit(replace(hot, heat=0.0, power=1.0)).text
    assert "clocks" not in limit(replace(hot, heat=0.0, power=0.1)).text


def test_a_gpu_that_waits_is_not_called_the_limit() -> None:
    found = limit(GpuUse(0, looks=20, busy=0.3), tpot=0.05)
    assert (found.kind, found.confidence) == ("host", Confidence.LOW)
    assert "30%" in found.text
    # Of several, the busiest speaks; and what was hardly looked at does not.
    assert limit(GpuUse(0, looks=2, busy=0.3), tpot=0.05).kind == "compute"
    assert limit(GpuUse(0, looks=20), tpot=0.05).kind == "compute"


def test_a_queue_is_what_it_is_however_busy_the_gpu() -> None:
    queue = looks((4, 4, 0.1), times=12)
    assert limit(GpuUse(0, looks=20, busy=0.99), engine=queue).kind == "max-num-seqs"


def test_a_busy_gpu_is_told_without_the_engines_metrics() -> None:
    found = limit(GpuUse(0, looks=20, busy=0.98), engine=None, tpot=0.05)
    assert (found.kind, found.confidence) == ("compute", Confidence.MEDIUM)


def test_runs_are_compared_by_what_their_gpus_did() -> None:
    def of(*gpus: GpuUse) -> Run:
        return Run("", {}, (level(8, repeat(gpus=gpus)),))

    before = GpuUse(0, 20, used=18 * GIB, total=24 * GIB, busy=0.5)
    after = replace(before, used=22 * GIB, busy=0.9)
    [change] = compared(of(before), of(after), "before").gpus
    assert (change.load, change.before, change.after) == ("8", before, after)
    nearly = replace(before, used=18 * GIB + 1, busy=0.505)
    assert compared(of(before), of(nearly), "before").gpus == ()
    assert compared(of(), of(after), "before").gpus == ()
