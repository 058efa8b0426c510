"""What every scanner of start-up files gives back."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Nesting(enum.IntEnum):
    """How surely a command runs when the file is read."""

    TOP = 0
    CONDITIONAL = 1
    FUNCTION = 2


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable that a start-up file sets.

    ``value`` is None where it depends on another variable or on running something. The value's
    own text stands at ``[value_start, end)``, its word begins at ``start``, the command at
    ``[command_start, command_end)``. ``exported`` says that programs get it. ``sole`` says that
    its command sets nothing else; ``editable`` that the value's text stands by itself.
    """

    name: str
    value: str | None
    line: int
    start: int
    value_start: int
    end: int
    command_start: int
    command_end: int
    exported: bool
    nesting: Nesting
    sole: bool
    editable: bool = True


@dataclass(frozen=True, slots=True)
class Removal:
    """A variable that a command which begins at ``start`` takes away."""

    name: str
    line: int
    start: int
    nesting: Nesting


@dataclass(frozen=True, slots=True)
class Scan:
    """One file. ``sourced`` are the texts of files that it reads in turn, as they are written;
    ``commands`` the stretches of all simple commands."""

    assignments: tuple[Assignment, ...]
    sourced: tuple[str, ...] = ()
    commands: tuple[tuple[int, int], ...] = ()
    removals: tuple[Removal, ...] = ()

    def summary(self) -> list[tuple[str, str | None, bool, Nesting]]:
        """What counts when two scans are compared: everything but the places."""
        return [(a.name, a.value, a.exported, a.nesting) for a in self.assignments]
