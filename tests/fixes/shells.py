"""Real shells, where they are installed: what a start-up file leaves in its variables."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

# -f and --no-config: the machine's own start-up files must not speak.
COMMANDS = {
    "bash": ["bash", "--noprofile", "--norc", "-c"],
    "zsh": ["zsh", "-f", "-c"],
    "dash": ["dash", "-c"],
    "fish": ["fish", "--no-config", "-c"],
}
NOWHERE = {"PATH": "/nonexistent", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def need(shell: str) -> str:
    """The shell's path; skips the test where it is not installed."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


def value_after(shell: str, path: Path, name: str) -> str | None:
    """The value that a program started by ``shell`` has once it has read ``path``.

    No command is found while the file is read, and ``env`` is asked at the end.
    """
    env = shutil.which("env")
    source = "source" if shell == "fish" else "."
    script = f"{source} {path} >/dev/null 2>&1 </dev/null\n{env} -0\n"
    done = subprocess.run(
        [need(shell), *COMMANDS[shell][1:], script],
        env=NOWHERE,
        cwd=path.parent,
        capture_output=True,
        check=False,
    )
    values = dict(line.split(b"=", 1) for line in done.stdout.split(b"\0") if b"=" in line)
    found = values.get(name.encode())
    return None if found is None else found.decode("utf-8", "surrogateescape")


def run_line(shell: str, line: str, name: str, value: str) -> str:
    """The value of ``name`` for programs after ``line`` was run with ``name`` set to ``value``."""
    env = shutil.which("env")
    done = subprocess.run(
        [need(shell), *COMMANDS[shell][1:], f"{line}\n{env} -0\n"],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", name: value},
        capture_output=True,
        check=True,
    )
    values = dict(item.split(b"=", 1) for item in done.stdout.split(b"\0") if b"=" in item)
    return values[name.encode()].decode()
