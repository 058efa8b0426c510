"""The clinic as text, and as the documents ``kvdoctor.clinic/1`` and ``kvdoctor.clinic-case/1``."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from typing import Any

from doctor.clinic.cases import LEVELS, Task, cases
from doctor.clinic.judge import Verdict
from doctor.clinic.progress import Progress, Standing
from doctor.clinic.sandbox import Sandbox, at_home
from doctor.commands.output import look_on
from doctor.records import dataclass
from doctor.render.base import Sink
from doctor.render.document import tool
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR, Redactor
from doctor.text import Text, _

LEVELS_SCHEMA = "kvdoctor.clinic/1"
CASE_SCHEMA = "kvdoctor.clinic-case/1"


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be told of a case: ``symptom`` where it was opened, ``verdict`` where it was
    judged, with what comes ``after`` it."""

    sandbox: Sandbox
    standing: Standing
    symptom: Text | str = ""
    verdict: Verdict | None = None
    hints: tuple[Text, ...] = ()
    after: Text | str = ""


def tell_levels(options: argparse.Namespace, progress: Progress) -> None:
    """Every case with its standing, by level."""
    sink = Sink(sys.stdout, Redactor())
    if options.format in ("json", "jsonl"):
        sink.write(_json(options, levels_document(progress)))
        return
    out = Lines(sink, look_on(sys.stdout, options))
    width = max(len(case.id) for case in cases())
    for level, title in LEVELS.items():
        mine = [case for case in cases() if case.level == level]
        solved = sum(progress.of(case.name).solved for case in mine)
        count = {"level": level, "title": title, "solved": solved, "all": len(mine)}
        out.wrap(_("Level {level}: {title} ({solved} of {all} solved)", **count))
        fresh = []
        for case in mine:
            standing = progress.of(case.name)
            told = out.say(_standing(standing))
            if not told:
                fresh.append(case.id)
                continue
            sign, name = ("✓", f"  {case.name}") if standing.solved else (" ", "")
            out.line(f"  {sign} {case.id:<{width}}  {told}{name}")
        out.wrap("  ".join(fresh), indent=4)
    out.line("")
    out.wrap(_("Begin with: kvdoctor demo --clinic 1, or in the app: kvdoctor demo --clinic --tui"))


def _standing(standing: Standing) -> Text | str:
    if standing.solved or standing.tries or standing.hints:
        return _("tries: {tries}, hints: {hints}", tries=standing.tries, hints=standing.hints)
    return ""


def tell_case(options: argparse.Namespace, told: Told, stays: bool = False) -> None:
    """The exercise, its hints or its verdict. ``stays``: the servers are up until Ctrl-C."""
    sink = Sink(sys.stdout, REDACTOR)
    if options.format in ("json", "jsonl"):
        sink.write(_json(options, case_document(told)))
        return
    out = Lines(sink, look_on(sys.stdout, options))
    if told.verdict is not None:
        _tell_verdict(out, told)
    elif told.symptom:
        _tell_task(out, told, stays)
    for number, hint in enumerate(told.hints, 1):
        out.wrap(_("Hint {number}: {hint}", number=number, hint=hint))


def _tell_verdict(out: Lines, told: Told) -> None:
    assert told.verdict is not None
    case = told.sandbox.case
    if not told.verdict.solved:
        out.wrap(_("Not yet. {seen}", seen=told.verdict.text))
        out.wrap(_("A hint: {command}", command=_command(told, "--hint")))
        return
    out.wrap(_("Solved. {seen}", seen=told.verdict.text))
    if case.task is Task.MEND:
        out.wrap(_("It was: {broken}", broken=case.scenario.broken))
    out.wrap(told.after)


def _tell_task(out: Lines, told: Told, stays: bool) -> None:
    sandbox = told.sandbox
    case = sandbox.case
    head = {"level": case.level, "id": case.id, "title": LEVELS[case.level]}
    out.wrap(_("{id}  Level {level}: {title}", **head))
    out.wrap(told.symptom)
    out.line("")
    if case.task is Task.MEND:
        out.wrap(_("Mend these files until the request is answered:"))
        for path in sandbox.files():
            out.line(f"  {at_home(path)}")
        out.line("")
        out.wrap(_("A shell in which they count:"))
    else:
        out.wrap(_("No file of yours can mend it: find out what it is. A shell to look around in:"))
    out.line(f"  {sandbox.shell_line(short=True)}")
    out.wrap(_("What a user would type there:"))
    out.line(f"  {shlex.join(('kvdoctor', 'check', *sandbox.typed()))}")
    out.line("")
    if case.task is Task.MEND:
        out.wrap(_("Is it mended? {command}", command=_command(told, "--check")))
    else:
        out.wrap(_("Found it? {command}", command=_command(told, "--answer CODE")))
    out.wrap(_("A hint: {command}", command=_command(told, "--hint")))
    out.wrap(_("From the start: {command}", command=_command(told, "--reset")))
    out.line("")
    if stays:
        out.wrap(
            _(
                "The servers are up until Ctrl-C: work in another terminal. The keys in the files "
                "are made up."
            )
        )
    else:
        out.wrap(_("--serve keeps its servers up. The keys in the files are made up."))


def _command(told: Told, option: str) -> str:
    return f"kvdoctor demo --clinic {told.sandbox.case.id} {option}"


def levels_document(progress: Progress) -> dict[str, Any]:
    """Every level with its cases and how they stand."""
    return {
        "schema": LEVELS_SCHEMA,
        "tool": tool(),
        "levels": [
            {
                "level": level,
                "title": str(title),
                "cases": [
                    {
                        "id": case.id,
                        "scenario": case.name,
                        "task": case.task.value,
                        **_standing_document(progress.of(case.name)),
                    }
                    for case in cases()
                    if case.level == level
                ],
            }
            for level, title in LEVELS.items()
        ],
    }


def case_document(told: Told) -> dict[str, Any]:
    """One case; ``verdict`` is None unless it was judged."""
    sandbox, verdict = told.sandbox, told.verdict
    return {
        "schema": CASE_SCHEMA,
        "tool": tool(),
        "id": sandbox.case.id,
        "scenario": sandbox.case.name,
        "level": sandbox.case.level,
        "task": sandbox.case.task.value,
        **_standing_document(told.standing),
        "symptom": str(told.symptom) or None,
        "folder": os.fspath(sandbox.home),
        "files": [os.fspath(path.relative_to(sandbox.home)) for path in sandbox.files()],
        "arguments": list(sandbox.arguments),
        "shell": sandbox.shell_line(),
        "shown_hints": [str(hint) for hint in told.hints],
        "verdict": None
        if verdict is None
        else {"solved": verdict.solved, "seen": str(verdict.text)},
    }


def _standing_document(standing: Standing) -> dict[str, Any]:
    return {"solved": standing.solved, "tries": standing.tries, "hints": standing.hints}


def _json(options: argparse.Namespace, document: dict[str, Any]) -> str:
    indent = 2 if options.format == "json" else None
    return json.dumps(document, ensure_ascii=False, indent=indent) + "\n"
