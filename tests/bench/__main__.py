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

from . import logs
from .measure import cost_of, modules_of

ROOT = Path(__file__).resolve().parents[2]
MODEL = "deepseek-v4-flash"
# One answer takes this long, so that waiting outweighs computing (s).
SLOW = 0.4
# The longest chain of a healthy run: the models list, then the same list with a made-up key.
CHAIN = 2 * SLOW


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


CHECK = ["check", "--format", "json"]
# As many programs as one gateway may have on one machine; each is a target.
PROGRAMS = (
    "openai-sdk",
    "openai-sdk-node",
    "langchain",
    "llama-index",
    "aider",
    "dify",
    "open-webui",
    "cline",
    "roo-code",
    "opencode",
    "continue",
    "litellm-proxy",
)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "doctor", *arguments]


def waited(server: LoopbackServer, variables: dict[str, str], runs: int = 3) -> float:
    """Seconds from the first request of a check to the end of the last answer, as the server saw
    them; the least of several runs."""
    spans = []
    for _run in range(runs):
        server.exchanges.clear()
        cost_of(command(*CHECK), variables, runs=1)
        begun = min(exchange.request.received_at for exchange in server.exchanges)
        ended = max(exchange.ended_at or begun for exchange in server.exchanges)
        spans.append(ended - begun)
    return min(spans)


def environment(home: str, origin: str | None = None) -> dict[str, str]:
    variables = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(ROOT)}
    if origin is not None:
        variables |= {
            "OPENAI_API_KEY": GOOD,
            "OPENAI_BASE_URL": f"{origin}/api/v1",
            "OPENAI_MODEL": MODEL,
        }
    return variables


def programs(home: str, origin: str) -> dict[str, str]:
    """The environment of a user whose ``kvdoctor.toml`` has a target for each of PROGRAMS."""
    path = Path(home, ".config", "kvdoctor", "kvdoctor.toml")
    path.parent.mkdir(parents=True)
    tables = (
        f'[targets.{name}]\nclient = "{name}"\nbase_url = "{origin}/api/v1"\n'
        f'key_env = "SHOP_KEY"\nmodel = "{MODEL}"\n'
        for name in PROGRAMS
    )
    path.write_text("\n".join(tables), "utf-8")
    return {**environment(home), "SHOP_KEY": GOOD}


def figures() -> Iterator[tuple[str, float, float, str]]:
    """Name, measured, budget, unit."""
    with tempfile.TemporaryDirectory() as home:
        plain = environment(home)
        bare = cost_of([sys.executable, "-c", "pass"], plain)
        version = cost_of(command("--version"), plain)
        yield "--version, CPU against a bare interpreter", version.cpu / bare.cpu, 3.0, "x"
        with gateway() as server:
            healthy = environment(home, server.origin)
            headless = cost_of(command(*CHECK), healthy)
            modules = modules_of(CHECK, healthy)
        yield "healthy check, CPU beyond a bare interpreter", headless.cpu - bare.cpu, 0.3, "s"
        yield "healthy check, peak memory", headless.peak, 60.0, "MiB"
        own = sum(name.partition(".")[0] in ("doctor", "checks") for name in modules)
        yield "healthy check, own modules imported", own, 360, ""
        yield "healthy check, all modules imported", len(modules), 700, ""
        with gateway(SLOW) as server:
            waiting = waited(server, environment(home, server.origin))
        yield "whole run against its slowest chain", waiting / CHAIN, 1.3, "x"
        with gateway(SLOW) as server, tempfile.TemporaryDirectory() as other:
            waiting = waited(server, programs(other, server.origin))
        yield "the same with a dozen programs", waiting / CHAIN, 1.3, "x"
        yield from logs.figures(Path(home), plain)


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
