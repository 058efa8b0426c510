"""Puts the bytes back that stood in a file before a fix, all of them or none."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from doctor.fixes import files
from doctor.fixes.diff import FileDiff
from doctor.fixes.files import Held, Moment, no_moment
from doctor.fixes.journal import Entry, FileRecord, Journal, State
from doctor.fixes.refusal import RefusedEdit
from doctor.text import _


@dataclass(frozen=True, slots=True)
class _Restoration:
    record: FileRecord
    held: Held
    data: bytes


def undo(journal: Journal, entry: Entry, moment: Moment = no_moment) -> Entry:
    """Take ``entry`` back.

    Raises ``RefusedEdit`` where a file is no longer as the fix left it; nothing is then written.
    """
    with journal.held():
        current = journal.find(entry.id)
        if current is None or current.state is State.UNDONE:
            raise RefusedEdit(_("{id} is undone already", id=entry.id))
        return put_back(journal, current, current.files, moment)


def put_back(
    journal: Journal,
    entry: Entry,
    records: Sequence[FileRecord],
    moment: Moment = no_moment,
) -> Entry:
    """``undo`` for who holds the journal; ``records`` are the files that were written."""
    for record in entry.files:
        # What a run that was cut off left behind holds the key as well.
        with contextlib.suppress(OSError):
            os.unlink(record.temporary)
        if record.created and not os.path.lexists(record.target):
            files.remove_empty(record.folders)
    todo = _restorations(journal, records)
    entry = journal.mark(entry, State.UNDOING)
    moment("journal-undoing")
    for one in todo:
        try:
            if one.record.created:
                files.remove(one.held, one.record.folders, moment)
            else:
                files.replace(one.held, one.data, one.record.temporary, moment)
        except OSError as error:
            reason = error.strerror or str(error)
            raise RefusedEdit(reason, path=one.record.shown) from None
    entry = journal.mark(entry, State.UNDONE)
    moment("journal-undone")
    journal.forget_backups(entry)
    return entry


def preview(journal: Journal, entry: Entry) -> tuple[FileDiff, ...]:
    """What undoing would change. Raises ``RefusedEdit`` as ``undo`` would."""
    return tuple(one.record.diff.reversed() for one in _restorations(journal, entry.files))


def _restorations(journal: Journal, records: Sequence[FileRecord]) -> list[_Restoration]:
    """The files that hold the new bytes, with the old ones; files that are old stay."""
    todo = []
    for record in records:
        try:
            held = (files.read_or_absent if record.created else files.read)(record.path)
        except RefusedEdit as refused:
            raise refused.at(record.shown) from None
        if held.target != record.target:
            raise RefusedEdit(
                _("the name leads to another file now: {path}", path=held.target),
                path=record.shown,
            )
        if held.digest == record.before:
            continue
        if held.digest != record.after:
            raise RefusedEdit(
                _("the file has changed since the fix, so it is left alone"), path=record.shown
            )
        data = b"" if record.created else journal.backup(record)
        try:
            files.check_writable(held, record.path)
        except RefusedEdit as refused:
            raise refused.at(record.shown) from None
        todo.append(_Restoration(record, held, data))
    return todo
