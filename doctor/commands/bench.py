"""``kvdoctor bench``: puts load on a server, tells how fast it is, and against another run."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import sys
from pathlib import Path

from doctor import exitcodes
from doctor.bench.bodies import Logged, NoLog
from doctor.bench.compare import Comparison, compared, overhead_of
from doctor.bench.document import bench_document, kept_document
from doctor.bench.export import COMMANDS, NotExported, exported, server_of
from doctor.bench.running import Run, benched
from doctor.bench.saved import RunError, check_name, folder, kept, load, save
from doctor.bench.told import tell, tell_kept
from doctor.commands.answers import Answer, write_answer
from doctor.commands.bench_asked import (
    NothingToAsk,
    asked_of,
    require_consent,
    require_spending,
    scenario_of,
    source_of,
)
from doctor.commands.bench_progress import Teller
from doctor.commands.check import target_request, usage_text
from doctor.commands.output import UsageError, complain
from doctor.facts.machine import Environment
from doctor.facts.store import Unavailable
from doctor.render.base import Sink
from doctor.secrets import REDACTOR
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.text import _

_MANY_FAIL = 0.1


def execute(options: argparse.Namespace) -> int:
    try:
        return _execute(options, folder(), this_environment())
    except NothingToAsk as error:
        complain(str(error), REDACTOR)
        return exitcodes.NOTHING
    except (UsageError, ConfigError, RunError) as error:
        complain(usage_text(error), REDACTOR)
    except NoLog as error:
        complain(_("--log: {why}", why=str(error)), REDACTOR)
    except BrokenPipeError:
        raise
    except OSError as error:
        complain(_("{filename}: {why}", filename=error.filename, why=error.strerror), REDACTOR)
    return exitcodes.USAGE


def _execute(options: argparse.Namespace, where: Path, environment: Environment) -> int:
    if options.list:
        return _list(options, where)
    if options.export is not None:
        return _export(options, environment)
    before = load(options.compare, where) if options.compare is not None else None
    if options.kept is not None:
        if options.save is not None:
            raise UsageError(_("--from shows a run that is kept already: not with --save"))
        run = load(options.kept, where)
    else:
        if options.save is not None:
            check_name(options.save, where, replace=options.replace)
        found = _run(options, environment)
        if found is None:
            return exitcodes.FINDINGS
        run = found
        if options.save is not None and run.answered:
            save(run, options.save, where, REDACTOR)
    comparison = None if before is None else compared(before, run, options.compare)
    _write(options, run, comparison)
    return _code(run, comparison)


def _list(options: argparse.Namespace, where: Path) -> int:
    runs = kept(where)
    answer = Answer(
        command="bench",
        subject="runs",
        findings=(),
        results=(),
        document=lambda: kept_document(runs),
        tell=lambda lines: tell_kept(lines, runs),
    )
    write_answer(options, answer)
    return exitcodes.OK


def _export(options: argparse.Namespace, environment: Environment) -> int:
    """The scenario for another engine of load on stdout; nothing is sent. Raises ``UsageError``."""
    asked = asked_of(options, target_request(options), environment, options.model)
    try:
        text = exported(options.export, scenario_of(options), server_of(asked))
    except NotExported as error:
        raise UsageError(str(error)) from None
    Sink(sys.stdout, REDACTOR).write(text)
    complain(_("to run it: {command}", command=COMMANDS[options.export]))
    return exitcodes.OK


def _write(options: argparse.Namespace, run: Run, comparison: Comparison | None) -> None:
    overhead = overhead_of(run)
    write_answer(
        options,
        Answer(
            command="bench",
            subject=run.setup.get("server", ""),
            findings=(),
            results=(),
            document=lambda: bench_document(run, comparison, overhead),
            tell=lambda lines: tell(lines, run, comparison, overhead),
        ),
    )


def _code(run: Run, comparison: Comparison | None) -> int:
    if not run.answered or run.levels[0].failed > _MANY_FAIL:
        return exitcodes.FINDINGS
    worse = comparison is not None and comparison.verdict == "worse"
    return exitcodes.FINDINGS if worse else exitcodes.OK


# ------------------------------------------------------------------ whom, and what


def _run(options: argparse.Namespace, environment: Environment) -> Run | None:
    """None where nothing is answered, which is told. Raises ``UsageError`` and ``NothingToAsk``."""
    require_spending(options)
    if options.concurrency and options.rate:
        raise UsageError(_("--concurrency or --rate: a closed loop or an open one"))
    request = target_request(options)  # once: it reads the key from stdin
    asked = asked_of(options, request, environment, options.model)
    through = None
    if options.through is not None:
        request = dataclasses.replace(
            request,
            names=(options.through,),
            beside=True,
            base_url=None,
            key_env=options.through_key_env,
            key_file=None,
            key_stdin=None,
            model=options.through_model or options.model,
        )
        through = asked_of(options, request, environment, options.through_model or options.model)
    scenario = scenario_of(options)
    source = source_of(options, scenario, asked.target.connection.protocol)
    if isinstance(source, Logged):
        scenario = dataclasses.replace(
            scenario, prompt_tokens=source.prompt_tokens, output_tokens=source.output_tokens
        )
    require_consent(options, [side for side in (asked, through) if side is not None], scenario)
    meter = Teller()
    try:
        return asyncio.run(benched(asked, through, scenario, source, meter))
    except Unavailable as reason:
        complain(_("nothing is measured: {reason}", reason=str(reason)), REDACTOR)
        return None
    finally:
        meter.end()


__all__ = ["execute"]
