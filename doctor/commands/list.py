"""``kvdoctor list``: the checks that exist, plugins included."""

from __future__ import annotations

import argparse
import json
import sys

from doctor import exitcodes, registry
from doctor.commands.output import complain
from doctor.commands.rule import rule_document
from doctor.render.base import Sink
from doctor.secrets import Redactor
from doctor.text import _


def execute(options: argparse.Namespace) -> int:
    known = registry.load()
    try:
        chosen = known.selected(options.select, options.ignore)
    except registry.UnknownSelector as error:
        complain(_("{selector}: no check, area or slug of that name", selector=error.selector))
        return exitcodes.USAGE
    sink = Sink(sys.stdout, Redactor())
    if options.format == "json":
        documents = [rule_document(check) for check in chosen]
        sink.write(json.dumps(documents, ensure_ascii=False, indent=2) + "\n")
        return exitcodes.OK
    width = max((len(check.slug) for check in chosen), default=0)
    for check in chosen:
        sink.write(
            f"{check.code}  {check.slug:<{width}}  {check.area:<11}  {check.severity.word}\n"
        )
    for note in known.notes:
        complain(note)
    return exitcodes.OK
