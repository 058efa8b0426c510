"""Where goes what ``kvdoctor tap`` says: as text beside the command's own, or as one document."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import IO

from doctor.commands.answers import FORMATS
from doctor.commands.output import opened, out_of, translator
from doctor.render.base import Look, Sink
from doctor.render.choose import SHEET_FORMATS
from doctor.render.lines import Lines
from doctor.secrets import Redactor
from doctor.tap.document import tap_document
from doctor.tap.outcome import Outcome
from doctor.tap.told import tell
from doctor.text import Translator

_FOR_PEOPLE = ("plain", "rich")


def is_document(options: argparse.Namespace) -> bool:
    """Whether stdout is to hold a document, and nothing of the command's."""
    return (options.format or "plain") not in _FOR_PEOPLE


@contextlib.contextmanager
def outputs(options: argparse.Namespace, beside: bool) -> Iterator[list[tuple[str, IO[str]]]]:
    """The stream of each format that is asked for. ``beside`` a command stdout is the command's,
    so text for people goes to stderr. Raises ``UsageError``."""
    aside = beside and not is_document(options)
    found: list[tuple[str, IO[str]]] = [
        (options.format or "plain", sys.stderr if aside else sys.stdout)
    ]
    with contextlib.ExitStack() as stack:
        for request in options.out:
            name, path = out_of(request, FORMATS)
            found.append((name, stack.enter_context(opened(path))))
        yield found


def write(
    name: str, stream: IO[str], outcome: Outcome, options: argparse.Namespace, redactor: Redactor
) -> None:
    """``outcome`` in the format ``name``."""
    look = Look(translate=translator(options), fail_on=options.fail_on)
    sink = Sink(stream, redactor)
    if name == "json":
        sink.write(json.dumps(tap_document(outcome), ensure_ascii=False, indent=2) + "\n")
    elif name in SHEET_FORMATS:
        _sheet(name, sink, look, outcome, redactor)
    else:
        tell(Lines(sink, look), outcome)


def _sheet(name: str, sink: Sink, look: Look, outcome: Outcome, redactor: Redactor) -> None:
    from doctor.render.paper import ENGLISH, write_sheet
    from doctor.render.sheet import threshold_of
    from doctor.tap.sheet import sheet_of_tap

    if name in ENGLISH:
        look = replace(look, translate=Translator())
    sheet = sheet_of_tap(outcome, threshold_of(look.fail_on), look, redactor)
    write_sheet(name, sheet, sink, look)
