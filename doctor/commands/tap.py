"""``kvdoctor tap [-- COMMAND …]``: what a program really sends, and what is wrong with it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from doctor import exitcodes, registry
from doctor.checkapi import Check
from doctor.commands.check import nothing_found, run_options, target_request, usage_text
from doctor.commands.output import UsageError, complain, reaching, translator
from doctor.commands.tap_output import is_document, outputs, write
from doctor.facts.machine import Environment
from doctor.registry import Registry
from doctor.render.base import Look, Sink
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR, Redactor
from doctor.settings.discover import Discovery
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.tap.diagnosing import diagnose
from doctor.tap.listeners import Tap
from doctor.tap.origins import led_to
from doctor.tap.outcome import Outcome
from doctor.tap.preparing import Prepared, prepare
from doctor.tap.record import Record
from doctor.tap.rows import line_of, row_of
from doctor.tap.running import run_command, wait_for_user
from doctor.tap.session import Sitting, opened
from doctor.tap.steering import Launch
from doctor.tap.steering.base import CannotSteer
from doctor.tap.told import tell_addresses, tell_how_to_use
from doctor.text import _


def execute(options: argparse.Namespace) -> int:
    try:
        return asyncio.run(tap(options, this_environment(), REDACTOR))
    except (UsageError, ConfigError, CannotSteer, registry.UnknownSelector) as error:
        complain(usage_text(error), REDACTOR)
        return exitcodes.USAGE


async def tap(options: argparse.Namespace, environment: Environment, redactor: Redactor) -> int:
    """Run the command, or wait for the user, with listeners up; then diagnose. The value is the
    exit code.

    Raises ``UsageError``, ``ConfigError``, ``CannotSteer`` and ``registry.UnknownSelector``.
    """
    _check(options)
    known = registry.load()
    checks = known.selected(options.select, options.ignore)
    command = tuple(options.command_line)
    run = run_options(options, Discovery())
    prepared = await prepare(command, target_request(options), run, environment, redactor)
    narrative = Lines(Sink(sys.stderr, redactor), Look(translate=translator(options)))
    if not prepared.places:
        for note in prepared.notes:
            narrative.wrap(note)
        complain(nothing_found(prepared.found), redactor)
        return exitcodes.NOTHING
    with _record(options) as record, outputs(options, bool(command)) as streams:
        outcome = await _sit(options, prepared, known, checks, record, narrative, redactor)
        for name, stream in streams:
            write(name, stream, outcome, options, redactor)
    if reaching(outcome.findings, options.fail_on):
        return exitcodes.FINDINGS
    if outcome.exit_code is not None:
        return outcome.exit_code
    return exitcodes.OK if outcome.records else exitcodes.NOTHING


def _check(options: argparse.Namespace) -> None:
    if options.record_prompts and options.record is None:
        raise UsageError(_("--record-prompts: say with --record FILE where they go"))
    if options.tui and options.command_line:
        raise UsageError(_("--tui: the command needs the terminal itself; leave one of them out"))


async def _sit(
    options: argparse.Namespace,
    prepared: Prepared,
    known: Registry,
    checks: Sequence[Check],
    record: IO[str] | None,
    narrative: Lines,
    redactor: Redactor,
) -> Outcome:
    began = time.perf_counter()
    shown: list[Callable[[Record], None]] = []

    def show(one: Record) -> None:
        for each in shown:
            each(one)

    sitting = Sitting(
        prepared.places,
        redactor,
        show=show,
        out=record,
        prompts=options.record_prompts,
    )
    async with Tap(sitting.done) as listeners:
        ports = {p.lead.id: await listeners.listen(p.upstream) for p in prepared.places}
        led = {p.lead.id: led_to(p.lead.base, ports[p.lead.id]) for p in prepared.places}
        launch = prepared.steering.launch(prepared.scene, prepared.leads, led)
        code = None
        if options.tui:
            await _in_the_app(options, prepared, ports, launch, shown, redactor)
        elif launch.command:
            code = await _run(options, prepared, launch)
        else:
            for note in (*prepared.notes, *launch.notes):
                narrative.wrap(note)
            tell_addresses(narrative, prepared.places, ports)
            tell_how_to_use(narrative, launch, _sets(launch, prepared.scene.environment))
            narrative.wrap(_("Waiting for requests. Ctrl-C ends it, and the diagnosis follows."))
            shown.append(
                lambda one: narrative.line(line_of(row_of(one, narrative.say), narrative.say))
            )
            await wait_for_user()
    log, _analysis = await sitting.finish()
    records = tuple(sitting.records)
    diagnosed = await diagnose(prepared, records, log, checks, redactor)
    notes = [*known.notes, *launch.notes]
    if launch.command or options.tui:
        notes += prepared.notes
    if sitting.trouble:
        notes.append(sitting.trouble)
    return Outcome(
        client=prepared.client,
        command=prepared.scene.command,
        exit_code=code,
        seconds=time.perf_counter() - began,
        places=prepared.places,
        ports=ports,
        records=records,
        findings=diagnosed.findings,
        checks=diagnosed.checks,
        differences=diagnosed.differences,
        prompts=log,
        notes=tuple(notes),
    )


async def _run(options: argparse.Namespace, prepared: Prepared, launch: Launch) -> int:
    variables = {**prepared.scene.environment.variables, **launch.variables}
    try:
        return await run_command(launch.command, variables, aside=is_document(options))
    except OSError as error:
        raise UsageError(
            _("{command}: {why}", command=launch.command[0], why=error.strerror)
        ) from None


def _sets(launch: Launch, environment: Environment) -> Iterator[str]:
    """The lines that set the variables in the user's shell."""
    from doctor.fixes.quoting import set_line
    from doctor.fixes.startup import user_shell

    shell = user_shell(environment)
    for name, value in launch.variables.items():
        yield set_line(shell, name, value) or f"{name}={value}"


async def _in_the_app(
    options: argparse.Namespace,
    prepared: Prepared,
    ports: dict[str, int],
    launch: Launch,
    shown: list[Callable[[Record], None]],
    redactor: Redactor,
) -> None:
    from doctor.commands.tui import open_app
    from doctor.fixes.journal import Journal, state_folder
    from doctor.frontend import has_screen
    from doctor.tui.screens.tap import Feed

    if not has_screen(os.environ, sys.stdin, sys.stdout):
        raise UsageError(_("--tui: there is no terminal to draw on"))
    environment = prepared.scene.environment
    addresses = [
        (f"http://127.0.0.1:{ports[place.lead.id]}", place.upstream.origin.url)
        for place in prepared.places
    ]
    feed = Feed(tuple(addresses), (*_sets(launch, environment), " ".join(launch.arguments)))
    shown.append(feed.put)
    await open_app(options, environment, Journal(state_folder()), taps=feed)


@contextlib.contextmanager
def _record(options: argparse.Namespace) -> Iterator[IO[str] | None]:
    if options.record is None:
        yield None
        return
    try:
        stream = opened(Path(options.record))
    except OSError as error:
        raise UsageError(
            _("--record {record}: {why}", record=options.record, why=error.strerror)
        ) from None
    try:
        yield stream
    finally:
        # Every line was flushed; what could not be written was told then.
        with contextlib.suppress(OSError):
            stream.close()


__all__ = ["execute", "tap"]
