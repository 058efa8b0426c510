"""What an editor gives back: one stretch of text to put in another's place."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Operation
from doctor.secrets import Secret
from doctor.text import _


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``[start, end)`` (characters) by ``text``.

    ``literals`` are the spellings of a key in the file, before and after: what a diff must mask.
    """

    start: int
    end: int
    text: str
    literals: tuple[str, ...] = ()

    def applied(self, text: str) -> str:
        return text[: self.start] + self.text + text[self.end :]


def literals(step: EditFile, old: str, new: str = "") -> tuple[str, ...]:
    """Of the spellings of old and new value those that are a key's."""
    pairs = ((step.old, old), (step.new, new))
    return tuple(text for value, text in pairs if isinstance(value, Secret) and text)


def line_of(text: str, position: int) -> int:
    """The line of a character, counted from 1."""
    return text.count("\n", 0, position) + 1


def line_start(text: str, position: int) -> int:
    """Where the line of ``position`` begins."""
    return text.rfind("\n", 0, position) + 1


def line_end(text: str, position: int) -> int:
    """Where the line of ``position`` ends: behind its line break, or at the end of the text."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def newline_of(text: str) -> str:
    """The line break that the file uses."""
    return "\r\n" if "\r\n" in text else "\n"


def not_found(step: EditFile, line: int | None = None) -> RefusedEdit:
    """Another value stands there than the step was made for."""
    text = _("{name} does not hold the value that is to be changed", name=step.name)
    return RefusedEdit(text, line or step.line)


def not_unique(step: EditFile) -> RefusedEdit:
    return RefusedEdit(_("{name} stands there more than once", name=step.name), step.line)


def unsupported(step: EditFile) -> RefusedEdit:
    if step.operation is Operation.REMOVE:
        return RefusedEdit(_("{name} cannot be taken out by itself", name=step.name), step.line)
    return RefusedEdit(_("nothing can be added to this kind of file"), step.line)


def would_change_more(step: EditFile, line: int | None = None) -> RefusedEdit:
    """Read back, the edited file differs in more than the value."""
    text = _("{name} cannot be changed without changing something else", name=step.name)
    return RefusedEdit(text, line or step.line)
