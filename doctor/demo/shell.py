"""A stage as lines to paste into a shell, so that any client can be pointed at it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .stage import Stage


def shell_lines(stage: Stage) -> tuple[str, ...]:
    """bash and zsh: the variables, the folder if files matter, and the check to run there."""
    lines = exports(stage.setup.variables)
    if stage.setup.files:
        lines.append(f"cd {quoted(stage.environment.cwd)}")
    return (*lines, shlex.join(("kvdoctor", "check", *stage.arguments)))


def exports(variables: Mapping[str, str]) -> list[str]:
    """One line for each variable."""
    return [f"export {name}={quoted(value)}" for name, value in variables.items()]


def quoted(value: str) -> str:
    """``value`` as one word of bash or zsh, every unusual character spelled out."""
    if value.isascii() and value.isprintable():
        return shlex.quote(value)
    return "$'" + "".join(map(_spelled, value)) + "'"


def _spelled(char: str) -> str:
    if char == "\n":
        return "\\n"
    if char in "'\\":
        return "\\" + char
    if char.isascii() and char.isprintable():
        return char
    return f"\\U{ord(char):08X}"
