"""When the app opens, and what that costs those for whom it does not."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from doctor.frontend import has_screen, opens_app


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


SCREEN = {"TERM": "xterm-256color"}


def opened(*arguments: str, environ: dict[str, str] | None = None, tty: bool = True) -> bool:
    stream = Terminal() if tty else io.StringIO()
    return opens_app(arguments, SCREEN if environ is None else environ, stream, stream)


def test_on_a_terminal_the_app_opens() -> None:
    assert opened()
    assert opened("--base-url", "https://gateway.example/v1", "--key-env", "NAME")


@pytest.mark.parametrize(
    "argument",
    ["--format", "--format=json", "--plain", "--no-color", "--out=json=r.json", "--key-stdin"],
)
def test_whoever_asks_for_text_gets_text(argument: str) -> None:
    assert not opened(argument)


@pytest.mark.parametrize(
    "environ", [{}, {"TERM": "dumb"}, {"TERM": ""}, {**SCREEN, "NO_COLOR": "1"}]
)
def test_a_terminal_that_knows_only_lines_gets_lines(environ: dict[str, str]) -> None:
    assert not opened(environ=environ)


def test_a_pipe_gets_text() -> None:
    assert not opened(tty=False)


def test_the_browser_is_opened_from_anywhere() -> None:
    assert opened("--web", tty=False)
    assert has_screen({"TEXTUAL_DRIVER": "x"}, io.StringIO(), io.StringIO())


def test_without_a_terminal_the_app_refuses_and_writes_no_escape_codes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doctor", "tui"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert "\x1b" not in done.stderr
    assert "kvdoctor check" in done.stderr


def loaded(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after ``code``."""
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in json.loads(done.stdout)}


def test_the_decision_imports_nothing() -> None:
    assert not loaded("import doctor.frontend") & {"textual", "rich", "asyncio"}


def test_the_first_paint_waits_for_no_check_no_network_and_no_sdk() -> None:
    modules = loaded("import doctor.commands.tui, doctor.tui.app")

    assert "textual" in modules
    assert not modules & {"openai", "httpx", "httpx2", "checks", "pydantic", "psutil", "aiohttp"}
