"""What a fix does, as data: values to change in files, and text to run where no file can help.

A step holds the value that it expects to find. Whoever applies it refuses to touch a file in
which another one stands, so a step may be kept, shown and applied later.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from doctor.secrets import Secret
from doctor.untrusted import visible

if TYPE_CHECKING:
    # The models import this module, and the first paint of the app waits for the models.
    from doctor.facts.settings import EnvReader

Value = str | int | bool | Secret
Selector = tuple[str | int, ...]


class Format(enum.StrEnum):
    """How a file is read and written. JSON includes comments and trailing commas."""

    JSON = "json"
    TOML = "toml"
    YAML = "yaml"
    ENV = "env"
    SHELL = "shell"  # sh, bash, zsh
    FISH = "fish"
    POWERSHELL = "powershell"
    WHOLE = "whole"  # the file is the value, but for one line end


class Operation(enum.StrEnum):
    SET = "set"
    REMOVE = "remove"
    ADD = "add"
    RESPELL = "respell"
    RENAME = "rename"


class Shell(enum.StrEnum):
    """The shells for which text to run is written."""

    SH = "sh"
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"
    CMD = "cmd"


@dataclass(frozen=True, slots=True)
class EditFile:
    """Change one value of one file.

    ``path`` is absolute, ``shown`` as people know it. ``at`` is the path of keys of a document,
    or the name of a variable. ``line`` (from 1) is where the value begins; for ADD it is the line
    behind which a new one is put, 0 for the beginning. ``old`` must be found there; it is None
    for ADD, as ``new`` is for REMOVE. RESPELL leaves an env file's value as it is and writes its
    line so that the reader sees it; both are then that value. RENAME leaves the value too, and
    gives it the name ``new``. ``reader`` says by whose rules an
    env file is read. ``exports`` names the variable that programs of a shell started afterwards
    have with the new value.
    """

    path: str
    shown: str
    format: Format
    at: Selector
    line: int | None
    old: Value | None
    new: Value | None
    operation: Operation = Operation.SET
    reader: EnvReader | None = None
    exports: str | None = None

    @property
    def name(self) -> str:
        """The key or variable as it may be shown."""
        return visible(".".join(map(str, self.at)), 200)

    @property
    def place(self) -> str:
        """``~/.zshrc:41``."""
        return f"{self.shown}:{self.line}" if self.line else self.shown


@dataclass(frozen=True, slots=True)
class RunText:
    """Text for the user: lines of a ``shell`` to run, or of no shell (a flag, a setting to make).

    It never holds a key. ``now`` says that it repairs the running shell only, beside an edit that
    lasts.
    """

    text: str
    shell: Shell | None = None
    now: bool = False


Step = EditFile | RunText


def plain(value: Value | None) -> str | None:
    """The text of a value, keys in clear: only to write it or to compare it."""
    if value is None:
        return None
    if isinstance(value, Secret):
        return value.reveal()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def merged(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps with repetitions left out, and edits of one value in a row made into one."""
    out: list[Step] = []
    for step in steps:
        index = next((i for i, known in enumerate(out) if _follows(known, step)), None)
        if step in out:
            continue
        if index is None:
            out.append(step)
        else:
            first = out[index]
            assert isinstance(first, EditFile)
            assert isinstance(step, EditFile)
            out[index] = replace(first, new=step.new, operation=step.operation)
    return tuple(out)


def _follows(first: Step, second: Step) -> bool:
    """Whether ``second`` starts from the value that ``first`` leaves."""
    return (
        isinstance(first, EditFile)
        and isinstance(second, EditFile)
        and first.operation is Operation.SET
        and second.operation is not Operation.ADD
        and (first.path, first.at, first.line) == (second.path, second.at, second.line)
        and first.new is not None
        and first.new == second.old
        and first != second
    )


def step_document(step: Step) -> dict[str, Any]:
    """A step as it may be shown or sent: keys are masked."""
    if isinstance(step, RunText):
        return {
            "kind": "run",
            "shell": step.shell.value if step.shell else None,
            "text": step.text,
            "now": step.now,
        }
    return {
        "kind": "edit",
        "path": step.shown,
        "line": step.line,
        "format": step.format.value,
        "operation": step.operation.value,
        "at": list(step.at),
        "old": _shown(step.old),
        "new": _shown(step.new),
    }


def _shown(value: Value | None) -> str | int | bool | None:
    if isinstance(value, Secret):
        return value.described
    return visible(value) if isinstance(value, str) else value
