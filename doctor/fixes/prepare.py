"""From steps to the bytes that would be written. Reads files, writes none."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from doctor.facts.settings import EnvReader
from doctor.fixes import editors, files
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Format, Operation, RunText, Step, merged
from doctor.text import _

# Their programs take bytes as they come; the others insist on UTF-8.
_ANY_BYTES = (Format.SHELL, Format.FISH)
_ANY_BYTES_READERS = (EnvReader.COMPOSE, EnvReader.SHELL)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after. ``literals`` are the spellings of keys in it, to be masked."""

    held: files.Held
    path: str
    shown: str
    after: bytes = field(repr=False)
    steps: tuple[EditFile, ...]
    literals: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def before(self) -> bytes:
        return self.held.data


@dataclass(frozen=True, slots=True)
class Prepared:
    """What applying would do, and the text that is left for the user to run."""

    files: tuple[FileChange, ...]
    texts: tuple[RunText, ...] = ()

    @property
    def exports(self) -> dict[str, str | None]:
        """Variables as a shell started afterwards will have them; None for one that is gone."""
        from doctor.fixes.steps import plain

        return {
            step.exports: plain(step.new)
            for change in self.files
            for step in change.steps
            if step.exports is not None
        }


def prepare(steps: Iterable[Step]) -> Prepared:
    """Make all edits in memory. Raises ``RefusedEdit`` with the place of the first that fails."""
    known = merged(tuple(steps))
    by_target: dict[str, list[EditFile]] = {}
    for step in known:
        if isinstance(step, EditFile):
            by_target.setdefault(os.path.realpath(step.path), []).append(step)
    changes = tuple(_change(group) for group in by_target.values())
    return Prepared(changes, tuple(step for step in known if isinstance(step, RunText)))


def _change(steps: list[EditFile]) -> FileChange:
    path, shown = steps[0].path, steps[0].shown
    try:
        new = all(step.operation is Operation.ADD for step in steps)
        held = files.read_or_absent(path) if new else files.read(path)
        files.check_writable(held, path)
        text, errors = _decoded(held.data, steps)
        # From the end to the beginning, so that the places of the others stay what they are.
        ordered = sorted(steps, key=lambda step: -editors.edit(text, step).start)
        literals: set[str] = set()
        for step in ordered:
            edit = editors.edit(text, step)
            literals.update(literal for literal in edit.literals if literal)
            text = edit.applied(text)
        after = text.encode("utf-8", errors)
    except RefusedEdit as refused:
        raise refused.at(shown) from None
    except UnicodeEncodeError:
        raise RefusedEdit(_("the new value is not text"), path=shown) from None
    return FileChange(held, path, shown, after, tuple(steps), frozenset(literals))


def _decoded(data: bytes, steps: list[EditFile]) -> tuple[str, str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise RefusedEdit(_("the file is UTF-16"))
    lenient = all(
        step.format in _ANY_BYTES
        or (step.format is Format.ENV and step.reader in _ANY_BYTES_READERS)
        for step in steps
    )
    errors = "surrogateescape" if lenient else "strict"
    try:
        return data.decode("utf-8", errors), errors
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedEdit(_("bytes that are not UTF-8"), line) from None
