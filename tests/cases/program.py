"""Runs ``python -m doctor`` as a user would, in the world of a case."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .world import World

NOTHING_TO_EXAMINE = 3
_LIMIT_S = 120


@dataclass(frozen=True, slots=True)
class Ran:
    """``document`` is what stdout held, None where that was no JSON."""

    code: int
    document: dict[str, Any] | None
    errors: str

    @property
    def trouble(self) -> str | None:
        """Why this run says nothing, None if it is sound."""
        if self.code in (0, 1) and self.document is not None:
            return None
        lines = self.errors.strip().splitlines()
        telling = [line for line in lines if "internal error" in line] or lines[-1:]
        return f"exit {self.code}: {' '.join(telling)}"[:300]


def run(world: World, arguments: Sequence[str], stdin: str = "") -> Ran:
    """One run with its own process; never raises for what the program does."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "doctor", *arguments],
            cwd=world.cwd,
            env=world.env,
            input=stdin.encode(),
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ran(-1, None, f"no end within {_LIMIT_S} s")
    return Ran(done.returncode, _json(done.stdout), done.stderr.decode("utf-8", "replace"))


def _json(output: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(output)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
