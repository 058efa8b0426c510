"""``kvdoctor demo``: broken setups on loopback, examined like any other.

The setup is discovered and diagnosed by ``kvdoctor check`` itself; only the environment and the
working folder are the demo's.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from typing import Any

from doctor import exitcodes, registry
from doctor.commands import check
from doctor.commands.output import UsageError, complain, look_on
from doctor.demo import scenarios
from doctor.demo.scenarios import Scenario
from doctor.demo.shell import shell_lines
from doctor.demo.stage import Stage, staged
from doctor.render.base import Sink
from doctor.render.document import tool
from doctor.render.lines import Lines
from doctor.secrets import REDACTOR, Redactor, Secret
from doctor.settings.errors import ConfigError
from doctor.suggest import nearest
from doctor.text import _, joined, listed
from doctor.untrusted import visible

LIST_SCHEMA = "kvdoctor.demo-list/1"
SERVE_SCHEMA = "kvdoctor.demo-serve/1"


def execute(options: argparse.Namespace) -> int:
    if options.clinic is not None:
        from doctor.commands import clinic

        return clinic.execute(options)
    if options.check or options.hint or options.answer or options.reset:
        complain(_("--check, --hint, --answer and --reset belong to --clinic CASE"))
        return exitcodes.USAGE
    if options.list:
        _list(options)
        return exitcodes.OK
    name = options.scenario or scenarios.DEFAULT
    try:
        scenario = scenarios.find(name)
    except KeyError:
        hint = nearest(name, [known.name for known in scenarios.scenarios()])
        complain(
            _("{name}: no such scenario; the nearest is {near}", name=name, near=hint)
            if hint
            else _("{name}: no such scenario", name=name)
        )
        return exitcodes.USAGE
    if options.serve:
        # Ctrl-C is how this ends, so it is no interruption.
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(options, scenario))
        return exitcodes.OK
    try:
        return asyncio.run(_open(options, scenario) if options.tui else _show(options, scenario))
    except (UsageError, ConfigError, registry.UnknownSelector) as error:
        complain(check.usage_text(error), REDACTOR)
        return exitcodes.USAGE


async def _show(options: argparse.Namespace, scenario: Scenario) -> int:
    async with staged(scenario) as stage:
        code = await check.diagnose(_typed(options, stage), stage.environment, REDACTOR)
        _tell(options, stage)
    return code


async def _open(options: argparse.Namespace, scenario: Scenario) -> int:
    """The scenario in the app; its fixes change the scenario's own files."""
    from doctor.commands.tui import journal_of, open_app

    async with staged(scenario) as stage:
        typed = _typed(options, stage)
        typed.served = False
        code = await open_app(typed, stage.environment, journal_of(stage.environment))
        _tell(options, stage)
    return code


def _typed(options: argparse.Namespace, stage: Stage) -> argparse.Namespace:
    """The options of the ``kvdoctor check`` that the scenario's user types, run as asked here."""
    from doctor.cli import build_parser

    typed = build_parser().parse_args(["check", *stage.arguments])
    for name, value in vars(options).items():
        if name != "command" and hasattr(typed, name):
            setattr(typed, name, value)
    return typed


def _tell(options: argparse.Namespace, stage: Stage) -> None:
    """What was broken in truth, on stderr, for comparison with the diagnosis."""
    out = Lines(Sink(sys.stderr, REDACTOR), look_on(sys.stderr, options))
    broken = stage.scenario.broken
    right = listed(joined(name, _shown(value)) for name, value in stage.setup.right.items())
    out.line("")
    if right:
        out.wrap(_("The demo had broken: {broken} Right is: {right}.", broken=broken, right=right))
    else:
        out.wrap(_("The demo had broken: {broken}", broken=broken))


def _shown(value: object) -> str:
    return value.described if isinstance(value, Secret) else visible(str(value))


# ------------------------------------------------------------------ --list


def _list(options: argparse.Namespace) -> None:
    known = scenarios.scenarios()
    sink = Sink(sys.stdout, Redactor())
    if options.format == "json":
        documents = [scenario_document(scenario) for scenario in known]
        document = {"schema": LIST_SCHEMA, "tool": tool(), "scenarios": documents}
        sink.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
        return
    if options.format == "jsonl":
        for scenario in known:
            sink.write(json.dumps(scenario_document(scenario), ensure_ascii=False) + "\n")
        return
    out = Lines(sink, look_on(sys.stdout, options))
    names = max(len(scenario.name) for scenario in known)
    areas = max(len(scenario.area) for scenario in known)
    for scenario in known:
        head = f"{scenario.name:<{names}}  {scenario.area:<{areas}}  "
        codes = "".join(f" {code}" for code in scenario.codes)
        out.wrap(head + out.say(scenario.broken) + codes, hang=len(head))


def scenario_document(scenario: Scenario) -> dict[str, Any]:
    """A scenario as data: what is broken, the codes to be found, whether a repair is proved."""
    return {
        "name": scenario.name,
        "area": scenario.area.value,
        "broken": str(scenario.broken),
        "codes": list(scenario.codes),
        "proved": scenario.proved,
        "answers": scenario.answers or scenario.healthy,
    }


# ------------------------------------------------------------------ --serve


async def _serve(options: argparse.Namespace, scenario: Scenario) -> None:
    """Keep the scenario up until it is interrupted.

    stdout is not redacted here: the whole use of these lines is to be pasted, and the keys in
    them are the demo's own, which open nothing but its servers.
    """
    end = terminated()
    async with staged(scenario) as stage:
        if options.format in ("json", "jsonl"):
            indent = 2 if options.format == "json" else None
            text = json.dumps(serve_document(stage), indent=indent)
        else:
            text = "\n".join(shell_lines(stage))
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
        out = Lines(Sink(sys.stderr, REDACTOR), look_on(sys.stderr, options))
        out.wrap(
            _(
                "{name} is up until Ctrl-C. The keys above are made up and open nothing else.",
                name=scenario.name,
            )
        )
        try:
            await end.wait()
        finally:
            _tell(options, stage)


def terminated() -> asyncio.Event:
    """Set by SIGTERM, where there is one. Ctrl-C cancels whoever waits."""
    told = asyncio.Event()
    with contextlib.suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    return told


def serve_document(stage: Stage) -> dict[str, Any]:
    """A running scenario as data, the made-up keys in clear."""
    return {
        "schema": SERVE_SCHEMA,
        "tool": tool(),
        "scenario": scenario_document(stage.scenario),
        "variables": dict(stage.setup.variables),
        "folder": stage.environment.cwd,
        "files": sorted(stage.setup.files),
        "arguments": list(stage.arguments),
        "servers": [server.origin for server in stage.servers],
    }
