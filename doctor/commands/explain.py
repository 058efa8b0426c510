"""``kvdoctor explain``: from an error text or a log to its cause and fix, offline."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from doctor import exitcodes, registry
from doctor.commands.output import UsageError, complain, translator
from doctor.explain.document import explain_document, findings_of, how_to_fix, title_of
from doctor.explain.rank import in_context, rank
from doctor.explain.read import Seen, symptoms_in
from doctor.models import Finding
from doctor.render.base import Look, Sink
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR
from doctor.settings.carried import of_variables
from doctor.text import _
from doctor.untrusted import visible


def execute(options: argparse.Namespace) -> int:
    try:
        lines = _lines(options.text)
    except UsageError as error:
        complain(str(error))
        return exitcodes.USAGE
    if not any(line.strip() for line in lines):
        complain("nothing to explain: give an error text, a file, or - for stdin")
        return exitcodes.NOTHING
    here = {} if options.no_context else _seen_here()
    seen = in_context(symptoms_in(_without_secrets(lines)), here)
    known = registry.load()
    findings = findings_of(rank(seen, here), known)
    sink = Sink(sys.stdout, REDACTOR)
    if options.format == "json":
        document = explain_document(seen, findings)
        sink.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        look = Look(translate=translator(options))
        _print(Lines(sink, look), seen, findings, known)
    return exitcodes.FINDINGS if findings else exitcodes.OK


def _lines(words: list[str]) -> list[str]:
    if words == ["-"] or (not words and not sys.stdin.isatty()):
        return sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()
    if len(words) == 1 and len(words[0]) < 4096 and "\n" not in words[0]:
        path = Path(words[0])
        try:
            if path.is_file():
                return path.read_text("utf-8", errors="replace").splitlines()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
    return " ".join(words).splitlines()


def _without_secrets(lines: list[str]) -> list[str]:
    """Before a line is cut anywhere: half a key is most of a key."""
    for secret in of_variables(os.environ):
        REDACTOR.learn(secret)
    return REDACTOR("\n".join(lines)).split("\n")


def _seen_here() -> dict[str, str]:
    from doctor.explain.context import seen_here
    from doctor.settings.environment import this_environment
    from doctor.settings.errors import ConfigError

    try:
        return asyncio.run(seen_here(this_environment()))
    except ConfigError as error:
        complain(f"the settings here were not considered: {error}", REDACTOR)
        return {}


def _print(
    out: Lines, seen: tuple[Seen, ...], findings: tuple[Finding, ...], known: registry.Registry
) -> None:
    if not seen:
        out.wrap(_("No text of this is known. 'kvdoctor check' looks at the connection itself."))
        return
    for one in seen:
        times = f" (×{one.times})" if one.times > 1 else ""
        out.wrap(f"{one.line}: {one.text}{times}", hang=2)
        out.wrap(one.meaning, indent=2)
        for cause in one.causes:
            percent = f"{round(cause.likelihood * 100)} %"
            head = f"{percent:>5}  {cause.code}  {title_of(cause.code)}: "
            out.wrap(head + out.say(cause.tell_apart), indent=2, hang=7)
        out.line("")
    for finding in findings[:3]:
        fix = how_to_fix(finding.code, known)
        if fix:
            out.wrap(f"{finding.code} {finding.title}: {visible(fix)}", hang=2)
    out.wrap(_("Likely, by the text alone. 'kvdoctor check' proves it."))
