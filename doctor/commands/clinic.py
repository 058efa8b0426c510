"""``kvdoctor demo --clinic``: exercises in files that stay, judged by a real request."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shlex
import sys
from pathlib import Path

from doctor import exitcodes
from doctor.clinic.cases import Case, Task, cases, find, hints
from doctor.clinic.judge import Verdict, judge, named
from doctor.clinic.progress import Progress
from doctor.clinic.sandbox import Sandbox, SandboxError, clinic_folder, opened, prepare, serving
from doctor.commands.clinic_output import Told, tell_case, tell_levels
from doctor.commands.demo import terminated
from doctor.commands.output import complain
from doctor.secrets import REDACTOR
from doctor.suggest import nearest
from doctor.text import Text, _
from doctor.untrusted import visible


def execute(options: argparse.Namespace) -> int:
    root = clinic_folder(os.environ)
    progress = Progress(root)
    if options.tui:
        return asyncio.run(_open_app(options, root))
    if options.clinic == "":
        tell_levels(options, progress)
        return exitcodes.OK
    case = _chosen(options.clinic, progress)
    wrong = _unknown(options.clinic) if case is None else _misused(options, case)
    if case is None or wrong:
        complain(wrong)
        return exitcodes.USAGE
    try:
        # Ctrl-C is how a case is left, so it is no interruption.
        with contextlib.suppress(KeyboardInterrupt):
            return asyncio.run(_open(options, case, progress))
    except SandboxError as error:
        complain(str(error), REDACTOR)
        return exitcodes.USAGE
    except OSError as error:
        complain(_("{root}: {why}", root=error.filename or root, why=error.strerror))
        return exitcodes.USAGE
    return exitcodes.OK


async def _open_app(options: argparse.Namespace, root: Path) -> int:
    """The clinic in the app, which examines nothing else."""
    from doctor.cli import build_parser
    from doctor.clinic.sitting import Sitting
    from doctor.commands.tui import journal_of, open_app
    from doctor.demo.stage import environment_of

    typed = build_parser("tui").parse_args(["tui"])
    typed.lang = options.lang
    environment = environment_of(root, {})
    sitting = Sitting(root, REDACTOR)
    return await open_app(typed, environment, journal_of(environment), clinic=sitting)


def _chosen(word: str, progress: Progress) -> Case | None:
    """A case by name; of a level the first that is not solved, else its first."""
    if word.isascii() and word.isdigit():
        level = [case for case in cases() if case.level == int(word)]
        unsolved = [case for case in level if not progress.of(case.name).solved]
        return next(iter(unsolved or level), None)
    try:
        return find(word)
    except KeyError:
        return None


def _unknown(word: str) -> str:
    near = nearest(word, [case.name for case in cases()])
    told = visible(word)
    if near:
        return _("{word}: no level and no case; the nearest is {near}", word=told, near=near)
    return _("{word}: no level and no case; 'kvdoctor demo --clinic' has them all", word=told)


def _misused(options: argparse.Namespace, case: Case) -> str:
    """Why the options do not fit the case; empty where they do."""
    if options.check and case.task is Task.NAME:
        return _("{case} is not mended but named: --answer CODE", case=case.id)
    if options.answer and case.task is Task.MEND:
        return _("{case} is mended in its files: --check judges them", case=case.id)
    return ""


async def _open(options: argparse.Namespace, case: Case, progress: Progress) -> int:
    root = clinic_folder(os.environ)
    sandbox = None if options.reset else opened(case, root)
    if sandbox is None:
        sandbox = await prepare(case, root)
    known = hints(case, sandbox.settings)
    if options.hint:
        standing = progress.hinted(case.name, len(known))
        tell_case(options, Told(sandbox, standing, hints=known[: standing.hints]))
        return exitcodes.OK
    if options.answer:
        return _judged(options, sandbox, progress, named(case, options.answer))
    async with serving(sandbox) as ours:
        verdict = await judge(sandbox, REDACTOR)
        if options.check:
            return _judged(options, sandbox, progress, verdict)
        shown = known[: progress.of(case.name).hints]
        # Whoever pastes lines from a terminal needs the servers; a script does not wait.
        stays = ours and (options.serve or sys.stdout.isatty())
        told = Told(sandbox, progress.of(case.name), symptom=verdict.symptom, hints=shown)
        tell_case(options, told, stays=stays)
        if stays:
            sys.stdout.flush()
            await terminated().wait()
    return exitcodes.OK


def _judged(
    options: argparse.Namespace, sandbox: Sandbox, progress: Progress, verdict: Verdict
) -> int:
    name = sandbox.case.name
    standing = progress.judged(name, verdict.solved)
    told = Told(sandbox, standing, verdict=verdict, after=_after(sandbox.case, progress))
    tell_case(options, told)
    return exitcodes.OK if verdict.solved else exitcodes.FINDINGS


def _after(case: Case, progress: Progress) -> Text | str:
    """What comes next."""
    every = cases()
    place = every.index(case)
    for other in (*every[place + 1 :], *every[:place]):
        if not progress.of(other.name).solved:
            command = shlex.join(("kvdoctor", "demo", "--clinic", other.id))
            return _("Next: {command}", command=command)
    return _("That was the last one: all cases are solved.")
