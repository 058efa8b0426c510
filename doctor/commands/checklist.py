"""``kvdoctor checklist [NAME] [TARGET…]``: a named selection with a verdict for each line."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from doctor import exitcodes, registry
from doctor.checklists.document import checklist_document
from doctor.checklists.judge import judge
from doctor.checklists.model import Checklist, Judged, Reply
from doctor.checklists.own import Own, read_own
from doctor.checklists.present import present, sheet_of
from doctor.checklists.read import BUILTIN, builtin, of_file
from doctor.commands.answers import outputs
from doctor.commands.check import prepare, usage_text
from doctor.commands.known import baseline_of, filtered, keep
from doctor.commands.output import UsageError, complain, consume, look_on
from doctor.facts.machine import Environment
from doctor.models import Report
from doctor.render.base import Sink
from doctor.render.choose import SHEET_FORMATS
from doctor.render.lines import Lines
from doctor.run import run
from doctor.secrets import REDACTOR, Redactor
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.suggest import nearest
from doctor.text import _, listed
from doctor.untrusted import visible

DEFAULT = "triage"


def execute(options: argparse.Namespace) -> int:
    environment = this_environment()
    try:
        own = read_own(environment)
        if options.list:
            _list(options, own)
            return exitcodes.OK
        return asyncio.run(gate(options, environment, own, REDACTOR))
    except (UsageError, ConfigError, registry.UnknownSelector) as error:
        complain(usage_text(error), REDACTOR)
        return exitcodes.USAGE


async def gate(
    options: argparse.Namespace, environment: Environment, own: Own, redactor: Redactor
) -> int:
    """Examine, judge and write; the value is the exit code. Raises what ``execute`` catches."""
    checklist = _chosen(options.name or DEFAULT, own)
    replies = (*_typed(options, checklist), *own.replies)
    known = baseline_of(options)
    prepared = prepare(options, environment, redactor)
    if prepared is None:
        return exitcodes.NOTHING
    report = await consume(filtered(run(prepared.plan), known), [])
    judged = judge(checklist, report, registry.load(), replies, own.waivers, datetime.date.today())
    _write(options, judged, report, redactor)
    if keep(options, report):
        return exitcodes.OK
    return exitcodes.OK if judged.passes else exitcodes.FINDINGS


def _chosen(name: str, own: Own) -> Checklist:
    """A built-in one, one of ``kvdoctor.toml``, or a file. Raises ``UsageError``."""
    if name in BUILTIN:
        return builtin(name)
    if name in own.checklists:
        return own.checklists[name]
    if name.endswith(".toml") or "/" in name or "\\" in name:
        return of_file(Path(name))
    known = (*BUILTIN, *own.checklists)
    near = nearest(name, known)
    hint = _("known: {names}", names=listed(known))
    if near:
        hint = _("the nearest is {near}", near=near)
    told = visible(name)
    raise UsageError(
        _(
            "{told}: no such checklist; {hint}. A file ends in .toml; targets stand behind",
            told=told,
            hint=hint,
        )
    )


def _typed(options: argparse.Namespace, checklist: Checklist) -> Iterator[Reply]:
    """The answers of the command line. Raises ``UsageError``."""
    questions = {item.id for item in checklist.items if item.question}
    for text in options.answer:
        item, _equals, word = text.partition("=")
        if item not in questions or word not in ("yes", "no"):
            known = listed(sorted(questions)) or _("none")
            raise UsageError(
                _(
                    "--answer {text}: write ITEM=yes or ITEM=no; questions here: {known}",
                    text=visible(text),
                    known=known,
                )
            )
        yield Reply(checklist.name, item, word == "yes", place="--answer")


def _list(options: argparse.Namespace, own: Own) -> None:
    sink = Sink(sys.stdout, REDACTOR)
    lists = [builtin(name) for name in BUILTIN] + list(own.checklists.values())
    if options.format == "json":
        told = [
            {
                "name": one.name,
                "title": visible(one.title),
                "about": visible(one.about),
                "items": [
                    {"id": item.id, "title": visible(item.title), "required": item.required}
                    for item in one.items
                ],
            }
            for one in lists
        ]
        sink.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
        return
    out = Lines(sink, look_on(sys.stdout, options))
    width = max(len(one.name) for one in lists)
    for one in lists:
        head = f"{one.name:<{width}}  "
        text = _("{title}. {about} {n} items.", title=one.title, about=one.about, n=len(one.items))
        out.wrap(head + out.say(text), hang=len(head))


def _write(options: argparse.Namespace, judged: Judged, report: Report, redactor: Redactor) -> None:
    with outputs(options) as streams:
        for name, stream in streams:
            sink, look = Sink(stream, redactor), look_on(stream, options)
            if name == "json":
                text = json.dumps(checklist_document(judged, report), ensure_ascii=False, indent=2)
                sink.write(text + "\n")
            elif name in SHEET_FORMATS:
                from doctor.render.paper import write_sheet

                write_sheet(name, sheet_of(judged, report), sink, look)
            else:
                present(Lines(sink, look), judged, report)
