"""``kvdoctor rule CODE``: a check's docstring, which is its documentation."""

from __future__ import annotations

import argparse
import inspect
import json
import sys

from doctor import exitcodes, registry
from doctor.checkapi import Check
from doctor.commands.output import complain, translator
from doctor.docpages import translated
from doctor.render.base import Sink
from doctor.secrets import Redactor
from doctor.suggest import nearest
from doctor.text import Translator, _


def execute(options: argparse.Namespace) -> int:
    known = registry.load()
    check = known.find(options.code)
    if check is None:
        names = [name for c in known.checks for name in (c.code, c.slug)]
        hint = nearest(options.code, names)
        complain(
            _("{code}: no such check; the nearest is {near}", code=options.code, near=hint)
            if hint
            else _("{code}: no such check", code=options.code)
        )
        return exitcodes.USAGE
    sink = Sink(sys.stdout, Redactor())
    if options.format == "json":
        sink.write(json.dumps(rule_document(check), ensure_ascii=False, indent=2) + "\n")
    else:
        sink.write(rule_text(check, translator(options)))
    return exitcodes.OK


def rule_text(check: Check, translate: Translator) -> str:
    """The rule page as text, in the reader's language."""
    head = f"{check.code} {check.slug} ({check.area}, {check.severity.word})"
    return f"{head}\n\n{translated(check.doc, translate)}\n"


def rule_document(check: Check) -> dict[str, object]:
    """A check as data; ``kvdoctor list --format json`` is a list of these."""
    return {
        "code": check.code,
        "slug": check.slug,
        "area": check.area,
        "severity": check.severity.word,
        "hop": check.hop.value,
        "needs": [fact.key for fact in check.needs],
        "wants": [fact.key for fact in check.wants],
        "doc": inspect.cleandoc(check.doc),
    }
