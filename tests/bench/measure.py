"""CPU and wall time of a command as a whole process: the best of several runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds; ``peak`` in MiB."""

    cpu: float
    wall: float
    peak: float


def cost_of(command: Sequence[str], environment: Mapping[str, str], runs: int = 7) -> Cost:
    """The least of each figure over ``runs`` runs: what other work on the machine adds is noise."""
    costs = [_once(command, environment) for _run in range(runs)]
    return Cost(
        min(cost.cpu for cost in costs),
        min(cost.wall for cost in costs),
        min(cost.peak for cost in costs),
    )


def modules_of(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The modules that a command has imported when it ends."""
    program = (
        "import json, sys\n"
        # Where developers have click, httpx imports its own command line, and rich with it.
        "sys.modules['click'] = None\n"
        "from doctor.cli import main\n"
        f"main({list(arguments)!r})\n"
        "sys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=dict(environment), capture_output=True, text=True
    )
    names: list[str] = json.loads(done.stderr.splitlines()[-1])
    return names


def _once(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=dict(environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _pid, _status, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    wall = time.perf_counter() - started
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)
