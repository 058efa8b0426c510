"""Shell start-up files: the value of one variable replaced, its command commented out, a line
added. The edited text is read again, and every other assignment must be the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from doctor.fixes import quoting
from doctor.fixes.editors.base import (
    Edit,
    line_end,
    line_start,
    literals,
    newline_of,
    not_found,
    not_unique,
    unsupported,
    would_change_more,
)
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import fish, posix, powershell
from doctor.fixes.scan.base import Assignment, Nesting, Scan
from doctor.fixes.steps import EditFile, Format, Operation, Shell, plain
from doctor.text import _


@dataclass(frozen=True, slots=True)
class _Language:
    scan: Callable[[str], Scan]
    quote: Callable[[str, str], str]
    shell: Shell
    nothing: str  # a command that does nothing, to stand in a block in place of another


_LANGUAGES = {
    Format.SHELL: _Language(posix.scan, quoting.posix, Shell.SH, ": "),
    Format.FISH: _Language(fish.scan, quoting.fish, Shell.FISH, "true "),
    Format.POWERSHELL: _Language(powershell.scan, quoting.powershell, Shell.POWERSHELL, ""),
}
_NOTHING_MORE = re.compile(r"[ \t]*;?[ \t]*(?:#[^\n]*)?\r?\n?")


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for. Raises ``RefusedEdit``."""
    language = _LANGUAGES[step.format]
    before = language.scan(text)
    if step.operation is Operation.ADD:
        return _addition(text, step, before, language)
    found = _find(before, step)
    rows = list(zip(before.assignments, before.summary(), strict=True))
    if step.operation is Operation.REMOVE:
        made = _removal(text, found, step, before, language)
        expected = [row for assignment, row in rows if assignment != found]
    else:
        made = _replacement(text, found, step, language)
        new = plain(step.new)
        expected = [
            (row[0], new, row[2], row[3]) if assignment == found else row
            for assignment, row in rows
        ]
    _verify(made.applied(text), step, before, expected, language)
    return made


def _find(scan: Scan, step: EditFile) -> Assignment:
    name, old = str(step.at[-1]), plain(step.old)
    found = [
        a for a in scan.assignments if a.name == name and a.line == step.line and a.value == old
    ]
    if not found:
        raise not_found(step)
    if len(found) > 1:
        raise not_unique(step)
    if not found[0].editable:
        raise RefusedEdit(_("{name} is not written as a value by itself", name=name), step.line)
    return found[0]


def _verify(
    text: str,
    step: EditFile,
    before: Scan,
    expected: list[tuple[str, str | None, bool, Nesting]],
    language: _Language,
) -> None:
    try:
        after = language.scan(text)
    except RefusedEdit:
        raise would_change_more(step) from None
    if after.summary() != expected or after.sourced != before.sourced:
        raise would_change_more(step)


def _inner(literal: str) -> str:
    for opening in ("$'", "'", '"'):
        if literal.startswith(opening) and literal.endswith(opening[-1]) and len(literal) > 2:
            return literal[len(opening) : -1]
    return literal


def _replacement(text: str, found: Assignment, step: EditFile, language: _Language) -> Edit:
    old = text[found.value_start : found.end]
    literal = language.quote(plain(step.new) or "", old)
    return Edit(found.value_start, found.end, literal, literals(step, _inner(old), _inner(literal)))


def _removal(text: str, found: Assignment, step: EditFile, scan: Scan, language: _Language) -> Edit:
    """Comment the line out, so that it can be read and put back by hand as well; where the
    command sets something else too, take the one word away."""
    literal = text[found.value_start : found.end]
    if not found.sole:
        start = found.start
        while text[start - 1] in " \t" and text[start - 2] != "\\":
            start -= 1
        return Edit(start, found.end, "", literals(step, _inner(literal)))
    start, end = line_start(text, found.command_start), line_end(text, found.command_end)
    others = [
        span
        for span in scan.commands
        if start <= span[0] < end and span != (found.command_start, found.command_end)
    ]
    if text.startswith("\ufeff", start):
        start += 1
    ahead, behind = text[start : found.command_start], text[found.command_end : end]
    exports_only = all(text[span[0] : span[1]].split() == ["export", found.name] for span in others)
    if ahead.strip() or (not _NOTHING_MORE.fullmatch(behind) and not (others and exports_only)):
        raise unsupported(step)
    mark = f"{language.nothing}# " if found.nesting is not Nesting.TOP else "# "
    lines = text[found.command_start : end].splitlines(keepends=True)
    commented = "".join((mark if number == 0 else "# ") + line for number, line in enumerate(lines))
    return Edit(found.command_start, end, commented, literals(step, _inner(literal)))


def _addition(text: str, step: EditFile, before: Scan, language: _Language) -> Edit:
    """A new line behind ``step.line``, indented like it."""
    name, value = str(step.at[-1]), plain(step.new) or ""
    if any(a.name == name for a in before.assignments):
        raise RefusedEdit(_("{name} is set in this file already", name=name), step.line)
    position = 0
    for _number in range(step.line or 0):
        position = line_end(text, position)
    previous = text[line_start(text, max(position - 1, 0)) : position]
    indent = previous[: len(previous) - len(previous.lstrip(" \t"))]
    line = quoting.set_line(language.shell, name, value)
    if line is None:
        raise unsupported(step)
    # To a POSIX shell the other half of a Windows line end is part of the value.
    end = newline_of(text) if step.format is Format.POWERSHELL else "\n"
    unfinished = position > 0 and not text[:position].endswith("\n")
    added = f"{end}{indent}{line}" if unfinished else f"{indent}{line}{end}"
    made = Edit(position, position, added)
    after = language.scan(made.applied(text))
    rows = before.summary()
    new_rows = [row for row in after.summary() if row[0] == name]
    rest = [row for row in after.summary() if row[0] != name]
    if rest != rows or len(new_rows) != 1 or new_rows[0][:3] != (name, value, True):
        raise would_change_more(step)
    return made
