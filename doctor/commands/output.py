"""Where a command's outputs go: stdout in one format, files in others, trouble to stderr."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO

from doctor.events import Event, RunFinished
from doctor.language import chosen
from doctor.models import Report, Severity
from doctor.render.base import Renderer, Sink
from doctor.render.choose import FORMATS, default_format, look_for
from doctor.secrets import Redactor
from doctor.text import Translator

NEVER = "never"


class UsageError(Exception):
    """Something in the arguments or a configuration file is wrong; ends with exit code 2."""


def complain(text: str, redactor: Redactor | None = None) -> None:
    """One line on stderr."""
    from doctor.misplaced import without_keys
    from doctor.untrusted import harmless

    told = without_keys(harmless(text))
    Sink(sys.stderr, redactor or Redactor()).write(f"kvdoctor: {told}\n")


def translator(options: argparse.Namespace) -> Translator:
    return Translator(chosen(options.lang))


@contextlib.contextmanager
def renderers(options: argparse.Namespace, redactor: Redactor) -> Iterator[list[Renderer]]:
    """The renderer of stdout and those of ``--out``. Raises ``UsageError``."""
    language = chosen(options.lang)
    name = options.format or default_format(sys.stdout, options.plain)
    look = look_for(sys.stdout, language, options.no_color or options.plain)
    made = [FORMATS[name](sys.stdout, redactor, look)]
    with contextlib.ExitStack() as stack:
        for request in options.out:
            file_format, path = _out(request)
            stream = stack.enter_context(_opened(path))
            file_look = look_for(stream, language, no_color=True)
            made.append(FORMATS[file_format](stream, redactor, file_look))
        yield made


def _out(request: str) -> tuple[str, Path]:
    name, equals, path = request.partition("=")
    if not equals or not path or name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"--out {request}: write FORMAT=FILE, FORMAT one of {known}")
    return name, Path(path)


def _opened(path: Path) -> IO[str]:
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"--out {path}: {error.strerror}") from None


async def consume(events: AsyncIterator[Event], consumers: list[Renderer]) -> Report:
    """Feed every event to every renderer; the value is the final report."""
    report: Report | None = None
    async for event in events:
        for consumer in consumers:
            consumer.handle(event)
        if isinstance(event, RunFinished):
            report = event.report
    assert report is not None, "a run ends with its report"
    return report


def reaches(report: Report, fail_on: str) -> bool:
    """Whether a finding, folded ones aside, is at or above the severity; "never" is above all."""
    if fail_on == NEVER:
        return False
    threshold = Severity[fail_on.upper()]
    return any(
        finding.severity >= threshold and finding.explained_by is None
        for finding in report.findings
    )
