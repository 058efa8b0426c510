"""What a shell start-up file gives to programs: read as text, never run."""

from __future__ import annotations

from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import posix
from doctor.fixes.scan.base import Assignment, Nesting, Removal
from doctor.records import dataclass
from doctor.text import _


class Unclear(Exception):
    """A line gives a value that only running it would tell; the text says which."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The command that begins at ``at`` gives ``name`` the value ``value``; None takes it away."""

    at: int
    name: str
    value: str | None


def exported(text: str) -> dict[str, str]:
    """The variables that a program started by a shell has that read ``text``, last line last.

    Raises ``Unclear``.
    """
    try:
        scan = posix.scan(text)
    except RefusedEdit as refused:
        raise Unclear(_("the start-up file cannot be read: {why}", why=str(refused))) from None
    steps = []
    for found in scan.assignments:
        if found.exported:
            _require(found.value is not None and found.nesting is Nesting.TOP, found)
            steps.append(_Step(found.command_start, found.name, found.value))
    for removal in scan.removals:
        _require(removal.nesting is Nesting.TOP, removal)
        steps.append(_Step(removal.start, removal.name, None))
    variables: dict[str, str] = {}
    for step in sorted(steps, key=lambda one: one.at):
        if step.value is None:
            variables.pop(step.name, None)
        else:
            variables[step.name] = step.value
    return variables


def _require(certain: bool, found: Assignment | Removal) -> None:
    """Raises ``Unclear`` about ``found`` unless it is ``certain``."""
    if not certain:
        raise Unclear(
            _(
                "line {line} makes {name} of other variables, by a command or under a "
                "condition; write its value out",
                line=found.line,
                name=found.name,
            )
        )
