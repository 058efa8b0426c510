"""``kvdoctor`` as a program of its own, as its user runs it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Finished:
    """A run that has ended."""

    code: int
    out: str
    err: str


async def kvdoctor(
    *arguments: str, cwd: str | Path, env: Mapping[str, str], stdin: str = ""
) -> Finished:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "doctor",
        *arguments,
        cwd=cwd,
        env=env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


def variables_of(home: Path, **more: str) -> dict[str, str]:
    """The environment of someone who lives in ``home`` and has nothing set but ``more``."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), **more}
