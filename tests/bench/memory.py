"""``python -m tests.bench.memory``: what a plan costs, per model and as a whole command."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from doctor.memory import Options, model_config, plan
from doctor.memory.case import case_of
from doctor.memory.demand import Demand
from doctor.memory.gpus import named
from doctor.memory.reading import Model, table

from .measure import cost_of

ROOT = Path(__file__).resolve().parents[2]
GIB = 1 << 30


def per_model(runs: int = 5) -> tuple[float, float]:
    """Milliseconds of one plan, and of one with weights, budget and range; mean over the table."""
    models = [Model(row["id"], "", model_config(row["config"], row["id"])) for row in table()]
    gpu = named("H200")
    plain, whole = [], []
    for _run in range(runs):
        started = time.perf_counter()
        for model in models:
            plan(model.config, Options(available=64 * GIB))
        middle = time.perf_counter()
        for model in models:
            case_of(model, Options(), gpu, Demand())
        ended = time.perf_counter()
        plain.append((middle - started) / len(models) * 1e3)
        whole.append((ended - middle) / len(models) * 1e3)
    return min(plain), min(whole)


def figures() -> Iterator[tuple[str, float, float, str]]:
    """Name, measured, budget, unit."""
    plain, whole = per_model()
    yield "one plan, mean over the table", plain, 5.0, "ms"
    yield "one plan with weights and GPU", whole, 25.0, "ms"
    with tempfile.TemporaryDirectory() as home:
        variables = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(ROOT)}
        bare = cost_of([sys.executable, "-c", "pass"], variables)
        line = [sys.executable, "-m", "doctor", "memory", "Qwen/Qwen3-8B", "--gpu", "H100"]
        cost = cost_of(line, variables)
    yield "kvdoctor memory, CPU beyond a bare interpreter", cost.cpu - bare.cpu, 0.5, "s"


def main() -> int:
    broken = False
    print(f"{'figure':<46} {'measured':>10} {'budget':>8}  ratio")
    for name, measured, budget, unit in figures():
        ratio = measured / budget
        broken |= ratio > 1
        print(f"{name:<46} {measured:>8.2f} {unit:<3} {budget:>6.2f}  {ratio:>5.2f}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
