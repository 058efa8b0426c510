"""Where the answer of a command goes that examines no server: a line, a plan, a log, a text.

The same formats, ``--out`` and redaction as for a run (``doctor.commands.output``).
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from doctor.commands.output import look_on, opened, out_of
from doctor.models import CheckResult, Finding
from doctor.records import dataclass
from doctor.render.base import Look, Sink
from doctor.render.choose import SHEET_FORMATS
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR
from doctor.text import Translator

FORMATS = ("plain", "rich", "json", *SHEET_FORMATS)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found. ``document`` makes its JSON, ``tell`` writes it for people;
    ``findings`` and ``results`` are what the formats of build servers consist of, and ``rest`` is
    what ``tell`` says beside the findings (None: it does not repeat them)."""

    command: str
    subject: str
    findings: Sequence[Finding]
    results: Sequence[CheckResult]
    document: Callable[[], dict[str, Any]]
    tell: Callable[[Lines], None]
    rest: Callable[[Lines], None] | None = None
    notes: Sequence[str] = ()


def write_answer(options: argparse.Namespace, answer: Answer) -> None:
    """stdout in its format, and the files of ``--out``. Raises ``UsageError``."""
    with outputs(options) as streams:
        for name, stream in streams:
            sink, look = Sink(stream, REDACTOR), look_on(stream, options)
            if name == "json":
                sink.write(json.dumps(answer.document(), ensure_ascii=False, indent=2) + "\n")
            elif name in SHEET_FORMATS:
                _sheet(name, answer, sink, look)
            else:
                answer.tell(Lines(sink, look))


def _sheet(name: str, answer: Answer, sink: Sink, look: Look) -> None:
    from doctor.render.paper import ENGLISH, write_sheet
    from doctor.render.sheet import threshold_of
    from doctor.render.sheetof import sheet_of_answer

    if name in ENGLISH:
        look = dataclasses.replace(look, translate=Translator())
    told = io.StringIO()
    (answer.rest or answer.tell)(Lines(Sink(told, REDACTOR), look))
    sheet = sheet_of_answer(
        answer.command,
        answer.subject,
        answer.findings,
        answer.results,
        told.getvalue(),
        threshold_of(look.fail_on),
        answer.notes,
    )
    write_sheet(name, sheet, sink, look)


@contextlib.contextmanager
def outputs(options: argparse.Namespace) -> Iterator[list[tuple[str, IO[str]]]]:
    """The stream of each format that is asked for. Raises ``UsageError``."""
    found: list[tuple[str, IO[str]]] = [(options.format or "plain", sys.stdout)]
    with contextlib.ExitStack() as stack:
        for request in options.out:
            name, path = out_of(request, FORMATS)
            found.append((name, stack.enter_context(opened(path))))
        yield found
