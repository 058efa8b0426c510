"""Which front end opens for ``kvdoctor`` without a command. Decided before textual is imported:
it would write escape codes into a pipe, and it does not ask what TERM can do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO

# Whoever asks for one of these wants text.
_HEADLESS = (
    "--format",
    "--out",
    "--plain",
    "--no-color",
    "--save-bundle",
    "--key-stdin",
    "--fail-on",
    "--baseline",
    "--write-baseline",
)
# textual-serve sets it for the app that it starts, which then has no terminal.
_SERVED = "TEXTUAL_DRIVER"


def opens_app(
    arguments: Sequence[str], environ: Mapping[str, str], stdin: IO[str], stdout: IO[str]
) -> bool:
    """Whether the app opens; otherwise it is ``kvdoctor check``."""
    names = {argument.partition("=")[0] for argument in arguments}
    if "--web" in names:
        return True
    if names & set(_HEADLESS) or environ.get("NO_COLOR"):
        return False
    return has_screen(environ, stdin, stdout)


def has_screen(environ: Mapping[str, str], stdin: IO[str], stdout: IO[str]) -> bool:
    """Whether there is something to draw on: a terminal that knows more than lines, or a
    browser."""
    if environ.get(_SERVED):
        return True
    dumb = environ.get("TERM", "") in ("", "dumb") and os.name != "nt"
    return not dumb and stdin.isatty() and stdout.isatty()
