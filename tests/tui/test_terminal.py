"""The command in a real (pseudo-)terminal: what comes out of it, and that it leaves it tidy."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_STYLES = re.compile(rb"\x1b\[[0-9;]*m")
_SILENCE_S = 60.0
_ALTERNATE_SCREEN_LEFT = b"\x1b[?1049l"


class Terminal:
    """A program in a terminal of 120 by 40."""

    def __init__(self, pid: int, master: int) -> None:
        self._pid = pid
        self._master = master
        self.raw = b""
        self._read_to = 0

    def until(self, text: str) -> None:
        """Read on until ``text`` is drawn."""
        wanted = text.encode()
        while wanted not in _STYLES.sub(b"", self.raw[self._read_to :]):
            if not self._more():
                raise AssertionError(f"ended without {text!r}: {self._seen}")
        self._read_to = len(self.raw)

    @property
    def _seen(self) -> str:
        return _STYLES.sub(b"", self.raw[-6000:]).decode(errors="replace")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._more():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def _more(self) -> bool:
        if not select.select([self._master], [], [], _SILENCE_S)[0]:
            raise AssertionError(f"nothing more is drawn after: {self._seen}")
        try:
            more = os.read(self._master, 65536)
        except OSError:
            return False  # Linux's way of saying that the other end is closed
        self.raw += more
        return bool(more)


@contextmanager
def terminal(
    home: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """``kvdoctor`` with ``arguments`` in an empty home."""
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        **(environ or {}),
    }
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(home)
        os.execve(sys.executable, [sys.executable, "-m", "doctor", *arguments], environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    try:
        yield Terminal(pid, master)
    finally:
        os.close(master)


def test_six_keys_from_the_triple_fault_to_a_verified_fix_and_back(tmp_path: Path) -> None:
    with terminal(tmp_path, "demo", "--tui") as screen:
        screen.until("three changes, proved: connection refused → 200")
        screen.press("a")
        screen.until("Write these changes?")
        screen.press("\r")
        screen.until("The same request now answers 200")
        screen.press("u")
        screen.until("Take this back?")
        screen.press("\r")
        screen.until("three changes, proved: connection refused → 200")
        screen.press("q")

        assert screen.end() == 0
        assert _ALTERNATE_SCREEN_LEFT in screen.raw
        assert b"Right is:" in screen.raw.rpartition(_ALTERNATE_SCREEN_LEFT)[2]


def test_without_a_command_the_app_opens(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("No base URL, key or kvdoctor.toml was found here.")
        screen.press("q")

        assert screen.end() == 0


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_where_nothing_can_be_drawn_text_is_written(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with terminal(tmp_path, environ=environ) as screen:
        assert screen.end() == 3
        assert b"nothing to examine" in screen.raw
        assert b"\x1b" not in screen.raw


def test_a_fault_of_our_own_leaves_no_locals_behind(tmp_path: Path) -> None:
    """textual would print the local variables of every frame, keys among them."""
    (tmp_path / "sitecustomize.py").write_text(
        "from doctor.tui import live\n"
        "async def broken(self):\n"
        "    key = 'sk-made0up0made0up0made0up0made0up0made0up0made0up0'\n"
        "    raise RuntimeError('a fault of our own')\n"
        "live.LiveSession.prepare = broken\n"
    )
    with terminal(tmp_path, environ={"PYTHONPATH": f"{tmp_path}:{ROOT}"}) as screen:
        assert screen.end() == 4

        after = screen.raw.rpartition(_ALTERNATE_SCREEN_LEFT)[2]
        assert b"internal error: RuntimeError: a fault of our own" in after
        assert b"made0up0" not in screen.raw
