"""A made-up user's machine: a home, a working folder, a shell; and the command typed there."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from doctor import cli
from doctor.secrets import REDACTOR

KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"
# What a program needs that is started by a shell; git is asked what it tracks.
_OF_THE_SYSTEM = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the command. ``report`` reads stdout as JSON."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document


@dataclass
class Machine:
    """``home`` and ``cwd`` exist, for their owner's eyes only, as a home is by default.

    ``variables`` are those of the shell; ``stdin`` is what is piped into the command.
    """

    root: Path
    capture: pytest.CaptureFixture[str]
    variables: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.cwd = self.home / "app"
        self.cwd.mkdir(parents=True)
        self.home.chmod(0o700)

    def write(self, name: str, text: str | bytes, mode: int = 0o644) -> Path:
        """Write a file in the working folder, or below home with ``~/``."""
        path = self.home / name[2:] if name.startswith("~/") else self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def git(self, *arguments: str) -> None:
        """Run git in the working folder."""
        subprocess.run(
            ["git", *arguments],
            cwd=self.cwd,
            env={**_of_the_system(), "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"},
            check=True,
            capture_output=True,
        )

    def run(self, *arguments: str) -> Ran:
        """``kvdoctor ARGUMENTS`` in the working folder, in this process, as a new one would."""
        forget_secrets()
        self.capture.readouterr()
        with self._shell():
            try:
                code = cli.main([*arguments])
            except SystemExit as ended:
                code = int(ended.code or 0)
        said = self.capture.readouterr()
        return Ran(code, said.out, said.err)

    def check(self, *arguments: str) -> Ran:
        """``kvdoctor check … --format json``."""
        return self.run("check", *arguments, "--format", "json")

    @contextlib.contextmanager
    def _shell(self) -> Iterator[None]:
        before, folder, reader = dict(os.environ), Path.cwd(), sys.stdin
        os.environ.clear()
        os.environ.update(_of_the_system() | {"HOME": str(self.home)} | self.variables)
        os.chdir(self.cwd)
        sys.stdin = io.TextIOWrapper(io.BytesIO(self.stdin), "utf-8")
        try:
            yield
        finally:
            sys.stdin = reader
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(before)


def forget_secrets() -> None:
    """Every run starts as a process of its own: what another one learnt must not help it."""
    REDACTOR.__init__()  # type: ignore[misc]


def _of_the_system() -> dict[str, str]:
    return {name: os.environ[name] for name in _OF_THE_SYSTEM if name in os.environ}
