"""Where a command's outputs go: stdout in one format, files in others, trouble to stderr."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

from doctor.events import Event, RunFinished
from doctor.language import chosen
from doctor.models import Finding, Report, Severity
from doctor.render.base import Look, Renderer, Sink
from doctor.render.choose import FORMATS, default_format, look_for
from doctor.secrets import Redactor
from doctor.text import Translator, _

NEVER = "never"


class UsageError(Exception):
    """Something in the arguments or a configuration file is wrong; ends with exit code 2."""


def complain(text: str, redactor: Redactor | None = None) -> None:
    """One line on stderr, in the reader's language."""
    from doctor.arguments import language_wanted
    from doctor.misplaced import without_keys
    from doctor.untrusted import harmless

    told = without_keys(harmless(Translator(chosen(language_wanted()))(text)))
    Sink(sys.stderr, redactor or Redactor()).write(f"kvdoctor: {told}\n")


def translator(options: argparse.Namespace) -> Translator:
    return Translator(chosen(options.lang))


def look_on(stream: IO[str], options: argparse.Namespace) -> Look:
    """How text for people is written on ``stream``: as wide as its terminal is."""
    fail_on: str = getattr(options, "fail_on", "error")
    off: bool = options.no_color or options.plain
    return look_for(stream, chosen(options.lang), off, fail_on=fail_on)


@contextlib.contextmanager
def renderers(options: argparse.Namespace, redactor: Redactor) -> Iterator[list[Renderer]]:
    """The renderer of stdout and those of ``--out``. Raises ``UsageError``."""
    name = options.format or default_format(sys.stdout, options.plain)
    made = [FORMATS[name](sys.stdout, redactor, look_on(sys.stdout, options))]
    with contextlib.ExitStack() as stack:
        for request in options.out:
            file_format, path = out_of(request, FORMATS)
            stream = stack.enter_context(opened(path))
            look = replace(look_on(stream, options), color=False)
            made.append(FORMATS[file_format](stream, redactor, look))
        yield made


def out_of(request: str, formats: Iterable[str]) -> tuple[str, Path]:
    """The format and the file of one ``--out``. Raises ``UsageError``."""
    name, equals, path = request.partition("=")
    if not equals or not path or name not in formats:
        known = ", ".join(formats)
        raise UsageError(
            _(
                "--out {request}: write FORMAT=FILE, FORMAT one of {known}",
                request=request,
                known=known,
            )
        )
    return name, Path(path)


def opened(path: Path) -> IO[str]:
    """The file, to be written anew. Raises ``UsageError``."""
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(_("--out {path}: {why}", path=str(path), why=error.strerror)) from None


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
    """Whether a finding of ``report`` is at or above the severity."""
    return reaching(report.findings, fail_on)


def reaching(findings: Iterable[Finding], fail_on: str) -> bool:
    """Whether a finding, folded ones aside, is at or above the severity; "never" is above all."""
    if fail_on == NEVER:
        return False
    threshold = Severity[fail_on.upper()]
    return any(
        finding.severity >= threshold and finding.explained_by is None for finding in findings
    )
