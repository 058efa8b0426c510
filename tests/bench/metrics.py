"""``python -m tests.bench.metrics``: what a look at a real engine's metrics costs.

Reading the recorded text is held against Prometheus' own reader, and a whole look, request
included, against a bare GET of the same text. Ratios, so that the machine does not matter.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from importlib import resources

import httpx
from prometheus_client.parser import text_string_to_metric_families

from doctor.context import Options
from doctor.demo import vllm_metrics
from doctor.demo.http import LoopbackServer
from doctor.demo.vllm import Vllm
from doctor.enginemetrics import read
from doctor.facts.store import Facts
from doctor.probes.metrics import scrape
from tests.kit import connection
from tests.probes.world import world

READ_BUDGET = 0.5
LOOK_BUDGET = 8.0
RUNS = 30


def reference(text: str) -> object:
    """What Prometheus' own client makes of it."""
    return list(text_string_to_metric_families(text))


def cost(work: Callable[[], object]) -> float:
    """CPU seconds of one call: the least of several."""
    spent = []
    for _run in range(RUNS):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


async def looks() -> tuple[float, float]:
    """CPU seconds of a look and of a bare GET, the server's own work among both."""
    async with LoopbackServer(Vllm()) as server:
        target = connection(f"{server.origin}/v1", None, "tiny")
        async with world(target, Options()) as store, httpx.AsyncClient() as client:
            look = await _least(lambda: _look(store, server.origin))
            get = await _least(lambda: client.get(f"{server.origin}/metrics"))
    return look, get


async def _look(store: Facts, root: str) -> object:
    return await scrape(store, root, anew=True)


async def _least(work: Callable[[], object]) -> float:
    spent = []
    for _run in range(RUNS):
        began = time.process_time()
        await work()  # type: ignore[misc]  # each of them is awaitable
        spent.append(time.process_time() - began)
    return min(spent)


def main() -> int:
    folder = resources.files(vllm_metrics.__package__ or "")
    text = (folder / "data" / "vllm-0.32.0-metrics.txt").read_text("utf-8")
    look, get = asyncio.run(looks())
    figures = (
        (
            "reading, CPU against the reference",
            cost(lambda: read(text)),
            cost(lambda: reference(text)),
            READ_BUDGET,
        ),
        ("a look, CPU against a bare GET", look, get, LOOK_BUDGET),
    )
    broken = False
    print(f"{'figure':<40} {'ms':>8} {'theirs':>8} {'times':>6} {'budget':>7}  ratio")
    for name, ours, theirs, budget in figures:
        times = ours / theirs
        broken |= times > budget
        print(
            f"{name:<40} {ours * 1000:>8.2f} {theirs * 1000:>8.2f} {times:>6.2f} {budget:>7.2f}"
            f"  {times / budget:>5.2f}"
        )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
