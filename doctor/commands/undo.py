"""``kvdoctor undo``: put back, byte for byte, what a fix has changed."""

from __future__ import annotations

import argparse
import json
import sys

from doctor import exitcodes
from doctor.commands.fix_output import UNDO_SCHEMA, diff_document, entry_document, state_text
from doctor.commands.output import complain, look_on
from doctor.fixes.diff import FileDiff
from doctor.fixes.journal import Entry, Journal, State, state_folder
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.undo import preview, undo
from doctor.render.base import Sink
from doctor.render.document import tool
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR
from doctor.text import _, joined, message


def execute(options: argparse.Namespace) -> int:
    return run(options, Journal(state_folder()))


def run(options: argparse.Namespace, journal: Journal) -> int:
    """The exit code: 1 where a file has changed since, 2 for an id that does not exist."""
    if options.list:
        _list(options, journal.entries())
        return exitcodes.OK
    entry = journal.find(options.id)
    if entry is None and options.id is not None:
        complain(_("{id}: no such entry; 'kvdoctor undo --list' names them", id=options.id))
        return exitcodes.USAGE
    if entry is None:
        _say(options, None, (), done=False)
        return exitcodes.OK
    try:
        shown = preview(journal, entry)
        if not options.diff:
            entry = undo(journal, entry)
    except RefusedEdit as refused:
        complain(_("nothing was written: {why}", why=str(refused)), REDACTOR)
        return exitcodes.FINDINGS
    _say(options, entry, shown, done=not options.diff)
    return exitcodes.OK


def _say(
    options: argparse.Namespace, entry: Entry | None, shown: tuple[FileDiff, ...], *, done: bool
) -> None:
    sink = Sink(sys.stdout, REDACTOR)
    if options.format == "json":
        document = {
            "schema": UNDO_SCHEMA,
            "tool": tool(),
            "undone": entry.id if entry is not None and done else None,
            "files": [diff_document(one) for one in shown],
            "entries": [] if entry is None else [entry_document(entry)],
        }
        sink.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
        return
    out = Lines(sink, look_on(sys.stdout, options))
    if entry is None:
        out.wrap(_("There is nothing to undo."))
        return
    for one in shown:
        for line in one.lines():
            out.line(line)
    if not shown:
        out.wrap(_("Every file is already as it was."))
    if done:
        places = ", ".join(one.shown for one in shown)
        out.wrap(_("Taken back: {id}. {places}", id=entry.id, places=places))


def _list(options: argparse.Namespace, entries: tuple[Entry, ...]) -> None:
    sink = Sink(sys.stdout, REDACTOR)
    if options.format == "json":
        document = {
            "schema": UNDO_SCHEMA,
            "tool": tool(),
            "undone": None,
            "files": [],
            "entries": [entry_document(entry) for entry in entries],
        }
        sink.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
        return
    out = Lines(sink, look_on(sys.stdout, options))
    for entry in entries:
        out.wrap(f"{entry.id}  {out.say(state_text(entry.state))}")
        for title in entry.titles:
            identity, _blank, words = title.partition(" ")
            out.wrap(joined(identity, message(words)), indent=2)
        for record in entry.files:
            out.wrap(record.shown, indent=2)
    if not any(entry.state is not State.UNDONE for entry in entries):
        out.wrap(_("There is nothing to undo."))
