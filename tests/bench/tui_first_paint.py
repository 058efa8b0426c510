"""From the start of ``kvdoctor`` on a terminal to the first drawn screen.

    python tests/bench/tui_first_paint.py [RUNS]

Starts the command in a pseudo-terminal with an empty home and waits for the title bar. The budget
of the design is 600 ms on an idle machine; where other work is going on, the CPU time says what the
wall clock would. A bare interpreter and ``import textual.app`` are measured beside it.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.measure import cost_of

ROOT = Path(__file__).parents[2]
BUDGET_MS = 600
_PAINTED = b"kvdoctor"
_PATIENCE = 30.0  # seconds


def first_paint(home: str) -> tuple[float, float]:
    """Milliseconds until the title bar is written: by the clock, and of CPU."""
    environment = {
        "HOME": home,
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "COLUMNS": "120",
        "LINES": "40",
    }
    started = time.perf_counter()
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execve(sys.executable, [sys.executable, "-m", "doctor"], environment)
    try:
        seconds = _until_painted(master, started)
    finally:
        os.kill(pid, signal.SIGKILL)
        _pid, _status, usage = os.wait4(pid, 0)
        os.close(master)
    return seconds * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def _until_painted(master: int, started: float) -> float:
    seen = b""
    while time.perf_counter() - started < _PATIENCE:
        ready, _writable, _failed = select.select([master], [], [], 0.5)
        if ready:
            seen += os.read(master, 65536)
            if _PAINTED in seen:
                return time.perf_counter() - started
    raise SystemExit("nothing was painted")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    plain = {"PATH": os.environ.get("PATH", "")}
    with tempfile.TemporaryDirectory() as home:
        first_paint(home)  # writes the byte code
        times = [first_paint(home) for _ in range(runs)]
    wall, cpu = min(t[0] for t in times), min(t[1] for t in times)
    median = statistics.median(t[0] for t in times)
    print(f"first paint   best {wall:4.0f} ms, median {median:4.0f} ms; CPU {cpu:4.0f} ms")
    for name, code in (("interpreter", "pass"), ("textual.app", "import textual.app")):
        cost = cost_of([sys.executable, "-c", code], plain, runs=3)
        print(f"{name:<13} best {cost.wall * 1000:4.0f} ms; CPU {cost.cpu * 1000:4.0f} ms")
    print(
        f"budget        {BUDGET_MS} ms: {'held' if wall <= BUDGET_MS else 'missed on this machine'}"
    )


if __name__ == "__main__":
    main()
