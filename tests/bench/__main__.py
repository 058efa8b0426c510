"""``python -m tests.bench``: the figures that the design holds, as ratios to their budgets.

Each line is one figure, its budget and the ratio of the two; above 1.00 the budget is broken and
the exit code is 1. Everything is measured in one run on one machine.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, Model, NewApiConfig
from doctor.demo.sse import Pace

from .measure import cost_of

ROOT = Path(__file__).resolve().parents[2]
MODEL = "deepseek-v4-flash"
# One answer takes this long, so that waiting outweighs computing (s).
SLOW = 0.4


@contextmanager
def gateway(delay: float = 0.0) -> Iterator[LoopbackServer]:
    """The demo's gateway in a thread of this process; every answer begins after ``delay`` s."""
    config = NewApiConfig(keys=(Key(GOOD),), models=(Model(MODEL),), pace=Pace(first=0, each=0))
    handler = NewApi(config)
    ready, done = threading.Event(), threading.Event()
    held: list[LoopbackServer] = []

    async def serve() -> None:
        async def delayed(request):  # type: ignore[no-untyped-def]
            await asyncio.sleep(delay)
            return await handler(request)

        async with LoopbackServer(delayed) as server:
            held.append(server)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    try:
        yield held[0]
    finally:
        done.set()
        thread.join()


def check_command() -> list[str]:
    return [sys.executable, "-m", "doctor", "check", "--format", "json"]


def environment(home: str, origin: str | None = None) -> dict[str, str]:
    variables = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(ROOT)}
    if origin is not None:
        variables |= {
            "OPENAI_API_KEY": GOOD,
            "OPENAI_BASE_URL": f"{origin}/api/v1",
            "OPENAI_MODEL": MODEL,
        }
    return variables


def figures() -> Iterator[tuple[str, float, float, str]]:
    """Name, measured, budget, unit."""
    with tempfile.TemporaryDirectory() as home:
        plain = environment(home)
        bare = cost_of([sys.executable, "-c", "pass"], plain)
        version = cost_of([sys.executable, "-m", "doctor", "--version"], plain)
        yield "--version, CPU against a bare interpreter", version.cpu / bare.cpu, 3.0, "x"
        with gateway() as server:
            headless = cost_of(check_command(), environment(home, server.origin))
        yield "healthy check, CPU beyond a bare interpreter", headless.cpu - bare.cpu, 0.3, "s"
        yield "healthy check, peak memory", headless.peak, 60.0, "MiB"
        with gateway(SLOW) as server:
            slow = cost_of(check_command(), environment(home, server.origin), runs=3)
        # The longest chain: the models list, then the same list with a made-up key.
        waiting = slow.wall - headless.wall
        yield "whole run against its slowest chain", waiting / (2 * SLOW), 1.3, "x"


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
