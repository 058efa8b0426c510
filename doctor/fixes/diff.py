"""What would change, line by line, with keys masked and control characters visible.

The numbers and every character but those of keys are those of the file: whoever applies the shown
lines gets the bytes that are written, masked.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from doctor.fixes.masking import mask_line, mask_literals
from doctor.fixes.prepare import FileChange
from doctor.text import _
from doctor.untrusted import visible

_CONTEXT = 2


@dataclass(frozen=True, slots=True)
class DiffLine:
    """``sign`` is " ", "-" or "+"; ``number`` the line's in the old file, for "+" in the new."""

    sign: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together; starts count from 1, in the old file and in the new."""

    before: int
    after: int
    lines: tuple[DiffLine, ...]

    @property
    def head(self) -> str:
        """``@@ -41,3 +41,3 @@``."""
        old = sum(line.sign != "+" for line in self.lines)
        new = sum(line.sign != "-" for line in self.lines)
        before = self.before if old else self.before - 1
        after = self.after if new else self.after - 1
        return f"@@ -{before},{old} +{after},{new} @@"


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file's changes. ``target`` is where its symlink leads, None for a plain file."""

    shown: str
    target: str | None
    hunks: tuple[Hunk, ...]

    def lines(self) -> list[str]:
        """A unified diff."""
        name = f"{self.shown} → {self.target}" if self.target else self.shown
        out = [f"--- {visible(name)}", f"+++ {visible(name)}"]
        for hunk in self.hunks:
            out.append(hunk.head)
            out.extend(f"{line.sign}{line.text}" for line in hunk.lines)
        return out

    def reversed(self) -> FileDiff:
        """The difference that takes this one back."""
        return replace(self, hunks=tuple(_reversed(hunk) for hunk in self.hunks))

    def changed(self) -> list[str]:
        """Only the lines that go and come."""
        return [
            f"{line.sign} {line.text}"
            for hunk in self.hunks
            for line in hunk.lines
            if line.sign != " "
        ]


def _reversed(hunk: Hunk) -> Hunk:
    """Signs exchanged, and what goes still ahead of what comes."""
    lines: list[DiffLine] = []
    going: list[DiffLine] = []
    shift = hunk.after - hunk.before
    for line in hunk.lines:
        if line.sign == "-":
            going.append(replace(line, sign="+"))
            shift -= 1
        elif line.sign == "+":
            lines.append(replace(line, sign="-"))
            shift += 1
        else:
            lines += [*going, replace(line, number=line.number + shift)]
            going = []
    return Hunk(hunk.after, hunk.before, (*lines, *going))


def diff(
    change: FileChange, redact: Callable[[str], str] = str, context: int = _CONTEXT
) -> FileDiff:
    """The masked difference; ``redact`` is the last net, for keys that stand near by."""
    before = shown_lines(change.before, change.literals, redact)
    after = shown_lines(change.after, change.literals, redact)
    # Compared unmasked: two keys may look alike behind their masks.
    matcher = difflib.SequenceMatcher(
        None, _raw_lines(change.before), _raw_lines(change.after), autojunk=False
    )
    hunks = []
    for group in matcher.get_grouped_opcodes(context):
        lines: list[DiffLine] = []
        for tag, old, old_end, new, new_end in group:
            if tag == "equal":
                lines += [DiffLine(" ", n + 1, before[n]) for n in range(old, old_end)]
            else:
                lines += [DiffLine("-", n + 1, before[n]) for n in range(old, old_end)]
                lines += [DiffLine("+", n + 1, after[n]) for n in range(new, new_end)]
        hunks.append(Hunk(group[0][1] + 1, group[0][3] + 1, tuple(lines)))
    return FileDiff(change.shown, _target(change), tuple(hunks))


def _target(change: FileChange) -> str | None:
    plain = os.path.join(os.path.realpath(os.path.dirname(change.path)), "")
    direct = plain + os.path.basename(change.path)
    return None if direct == change.held.target else change.held.target


def _raw_lines(data: bytes) -> list[str]:
    return _split(data.decode("utf-8", "surrogateescape"))


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def shown_lines(
    data: bytes, literals: frozenset[str], redact: Callable[[str], str] = str
) -> list[str]:
    """The lines of a file as a diff shows them: as many as there are."""
    raw = data.decode("utf-8", "surrogateescape")
    text = mask_literals(raw, literals)
    return [_shown(line, redact) for line in _split(text)]


def _shown(line: str, redact: Callable[[str], str]) -> str:
    body = redact(mask_line(line.removesuffix("\n")))
    ending = "" if line.endswith("\n") else f" ({_('no line break at the end')})"
    return visible(body, len(body)) + ending
