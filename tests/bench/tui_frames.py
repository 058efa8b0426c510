"""How long a frame takes with 2,000 findings and 200 targets.

    python tests/bench/tui_frames.py

Moves the cursor through the list of findings and of targets, one row and one page at a time, and
measures from the key to the drawn screen. A frame of 33 ms is 30 in a second.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

os.environ["TEXTUAL_ANIMATIONS"] = "none"
sys.path.insert(0, str(Path(__file__).parents[2]))

from textual.pilot import Pilot

from doctor import events as e
from doctor.models import Report, Spending, TargetReport
from doctor.text import Translator
from doctor.tui.app import DoctorApp
from doctor.tui.speech import Speech
from tests.tui import samples
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import settle

FINDINGS, TARGETS = 2_000, 200
STEPS = 60


def _many_findings() -> TargetReport:
    report = samples.broken_report()
    findings = tuple(
        replace(samples.EXPOSED, code=f"XYZ{n:03d}", title=f"{samples.EXPOSED.title}, number {n}")
        for n in range(FINDINGS)
    )
    return replace(report, findings=findings)


def _events() -> tuple[e.Event, ...]:
    first = _many_findings()
    rest = [
        replace(samples.healthy_report(), id=f"target-{n}", label=f"target-{n}: OpenAI SDK")
        for n in range(TARGETS - 1)
    ]
    reports = (first, *rest)
    return (
        e.RunStarted(tuple(report.id for report in reports), len(first.checks)),
        *(e.TargetFinished(report) for report in reports),
        e.RunFinished(Report("2030-01-31T10:00:00+00:00", 640, reports, Spending())),
    )


async def frames(pilot: Pilot[int], key: str) -> tuple[list[float], float]:
    """Milliseconds from the key to the drawn screen for each step, and the CPU of one."""
    app, times = pilot.app, []
    cpu = time.process_time()
    for _step in range(STEPS):
        drawn = asyncio.Event()
        started = time.perf_counter()
        app.simulate_key(key)
        app.call_later(app.screen.call_after_refresh, drawn.set)
        await drawn.wait()
        times.append((time.perf_counter() - started) * 1000)
    return times, (time.process_time() - cpu) * 1000 / STEPS


async def main() -> None:
    session = ScriptedSession(_events(), targets=(samples.target(),))
    app = DoctorApp(session, Speech(Translator("en"), session.redactor))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for what, opening in ((f"{FINDINGS:,} findings", ()), (f"{TARGETS} targets", ("t",))):
            for key in opening:
                await pilot.press(key)
                await settle(pilot)
            for key in ("down", "pagedown", "up"):
                times, cpu = await frames(pilot, key)
                times.sort()
                print(
                    f"{what:<15} {key:<9} median {statistics.median(times):5.1f} ms, "
                    f"95 % within {times[int(len(times) * 0.95)]:5.1f} ms; CPU {cpu:5.1f} ms"
                )


if __name__ == "__main__":
    asyncio.run(main())
