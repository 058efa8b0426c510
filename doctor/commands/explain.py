"""``kvdoctor explain``: from an error text or a log to its cause and fix, offline."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import os
import sys
from pathlib import Path
from typing import BinaryIO

from doctor import exitcodes, registry
from doctor.commands.answers import Answer, write_answer
from doctor.commands.output import UsageError, complain
from doctor.explain.answer import Answer as Told
from doctor.explain.answer import answer
from doctor.explain.document import explain_document, findings_of, how_to_fix, title_of
from doctor.explain.log.document import engine_document
from doctor.explain.log.picture import picture_of, summary_of
from doctor.explain.log.source import NotReadable, raw_lines
from doctor.explain.rank import rank
from doctor.models import Finding
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR
from doctor.settings.carried import of_variables
from doctor.text import _
from doctor.untrusted import visible


def execute(options: argparse.Namespace) -> int:
    for secret in of_variables(os.environ):
        REDACTOR.learn(secret)
    here = {} if options.no_context else _seen_here()
    try:
        with _opened(options.text) as stream:
            told = answer(raw_lines(stream), here)
    except (UsageError, NotReadable) as error:
        complain(str(error))
        return exitcodes.USAGE
    if told.blank:
        complain(_("nothing to explain: give an error text, a file, or - for stdin"))
        return exitcodes.NOTHING
    known = registry.load()
    findings = findings_of(rank(told.seen, told.here), known)
    told_by = Answer(
        command="explain",
        subject=_subject(options.text),
        findings=findings,
        results=(),
        document=lambda: explain_document(told.seen, findings, engine_document(told)),
        tell=lambda lines: _print(lines, told, findings, known),
    )
    try:
        write_answer(options, told_by)
    except UsageError as error:
        complain(str(error))
        return exitcodes.USAGE
    return exitcodes.FINDINGS if findings else exitcodes.OK


def _opened(words: list[str]) -> contextlib.AbstractContextManager[BinaryIO]:
    if words == ["-"] or (not words and not sys.stdin.isatty()):
        return contextlib.nullcontext(sys.stdin.buffer)
    if len(words) == 1 and len(words[0]) < 4096 and "\n" not in words[0]:
        path = Path(words[0])
        try:
            if path.is_file():
                return path.open("rb")
        except OSError as error:
            raise UsageError(_("{path}: {why}", path=str(path), why=error.strerror)) from None
    return contextlib.nullcontext(io.BytesIO(" ".join(words).encode("utf-8", "surrogateescape")))


def _subject(words: list[str]) -> str:
    """What the text is called: the name of its file, where it has one."""
    if len(words) == 1 and len(words[0]) < 4096 and "\n" not in words[0]:
        path = Path(words[0])
        with contextlib.suppress(OSError, ValueError):
            if path.is_file():
                return visible(path.name)
    return _("A text")


def _seen_here() -> dict[str, str]:
    from doctor.explain.context import seen_here
    from doctor.settings.environment import this_environment
    from doctor.settings.errors import ConfigError

    try:
        return asyncio.run(seen_here(this_environment()))
    except ConfigError as error:
        complain(_("the settings here were not considered: {why}", why=str(error)), REDACTOR)
        return {}


def _print(out: Lines, told: Told, findings: tuple[Finding, ...], known: registry.Registry) -> None:
    if not told.seen and told.start is None:
        out.wrap(_("No text of this is known. 'kvdoctor check' looks at the connection itself."))
        return
    for line in summary_of(told):
        out.wrap(line)
        out.line("")
    for one in told.seen:
        times = f" (×{one.times})" if one.times > 1 else ""
        out.wrap(f"{one.line}: {one.text}{times}", hang=2)
        out.wrap(one.meaning, indent=2)
        for cause in one.causes:
            percent = f"{round(cause.likelihood * 100)} %"
            head = f"{percent:>5}  {cause.code}  {out.say(title_of(cause.code))}: "
            out.wrap(head + out.say(cause.tell_apart), indent=2, hang=7)
            if cause.changes:
                out.wrap("→ " + "   ".join(cause.changes), indent=9, hang=2)
        out.line("")
    if told.start is not None:
        for drawn in picture_of(told.start, out.say):
            out.line(drawn)
    for finding in findings[:3]:
        fix = how_to_fix(finding.code, known)
        if fix:
            out.wrap(f"{finding.code} {out.say(finding.title)}: {out.say(fix)}", hang=2)
    if told.start is None:
        out.wrap(_("Likely, by the text alone. 'kvdoctor check' proves it."))
    elif findings:
        out.wrap(_("Likely, by the log alone."))
