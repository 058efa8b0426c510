"""Writes what was prepared, and nothing else.

The old bytes are in the journal before the first file changes. Each file is read again right
before it is replaced; if it is not what the diff was made of, nothing more is written, and what
was written before it is taken back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from doctor.fixes import files
from doctor.fixes.diff import diff
from doctor.fixes.files import Moment, no_moment
from doctor.fixes.journal import Entry, FileRecord, Journal, State
from doctor.fixes.prepare import FileChange, Prepared
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.undo import put_back
from doctor.text import _


def apply(
    prepared: Prepared,
    titles: Sequence[str],
    journal: Journal,
    *,
    redact: Callable[[str], str] = str,
    moment: Moment = no_moment,
) -> Entry:
    """Write all files of ``prepared``; the entry is what ``undo`` takes back.

    ``redact`` is the last net for what the journal keeps. Raises
    ``RefusedEdit``; every file is then as it was before.
    """
    with journal.held():
        for change in prepared.files:
            _unchanged(change)
        shown = [(change, diff(change, redact)) for change in prepared.files]
        entry = journal.begin([redact(title) for title in titles], shown, moment)
        written: list[FileRecord] = []
        try:
            for change, record in zip(prepared.files, entry.files, strict=True):
                _write(change, record, moment)
                written.append(record)
            applied = journal.mark(entry, State.APPLIED)
        except (RefusedEdit, OSError) as error:
            _take_back(journal, entry, written, error)
            raise
        moment("journal-applied")
    return applied


def _take_back(
    journal: Journal, entry: Entry, written: Sequence[FileRecord], error: Exception
) -> None:
    try:
        put_back(journal, entry, written)
    except (RefusedEdit, OSError) as second:
        raise RefusedEdit(
            _(
                "{first}; then {second}. 'kvdoctor undo {id}' puts everything back",
                first=str(error),
                second=str(second),
                id=entry.id,
            )
        ) from None


def _write(change: FileChange, record: FileRecord, moment: Moment) -> None:
    held = _unchanged(change)
    try:
        files.replace(held, change.after, record.temporary, moment)
    except OSError as error:
        raise RefusedEdit(error.strerror or str(error), path=change.shown) from None


def _unchanged(change: FileChange) -> files.Held:
    """The file as it is now. Raises ``RefusedEdit`` where it is not what the diff was made of."""
    try:
        held = files.read_or_absent(change.path)
        files.check_writable(held, change.path)
    except RefusedEdit as refused:
        raise refused.at(change.shown) from None
    same_place = os.path.realpath(change.path) == change.held.target
    same_bytes = held.exists == change.held.exists and held.data == change.before
    if not same_place or not same_bytes:
        raise RefusedEdit(_("the file has changed since; run kvdoctor again"), path=change.shown)
    return held
