"""``kvdoctor report``: what a bug tracker needs, redacted, printed before it is written."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import io
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from doctor import bundle, exitcodes, facts, registry
from doctor.commands.check import Prepared, prepare, usage_text
from doctor.commands.output import UsageError, complain, consume, reaches
from doctor.commands.replay import plan_of
from doctor.facts.machine import Environment
from doctor.facts.store import Unavailable
from doctor.models import Report
from doctor.private import Private, masks_in
from doctor.render.base import Look, Sink
from doctor.render.paper import Speech
from doctor.reporting import bug_report
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Secret
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.text import Translator, _

_KINDS = {
    "key": _("keys masked"),
    "home": _("home folder"),
    "user": _("user name"),
    "machine": _("machine name"),
    "host": _("hosts"),
}


def execute(options: argparse.Namespace) -> int:
    try:
        return asyncio.run(_report(options, this_environment()))
    except (UsageError, ConfigError, registry.UnknownSelector, bundle.BundleError) as error:
        complain(usage_text(error), REDACTOR)
    except OSError as error:
        complain(_("{filename}: {why}", filename=error.filename, why=error.strerror), REDACTOR)
    return exitcodes.USAGE


async def _report(options: argparse.Namespace, environment: Environment) -> int:
    """Raises what ``execute`` catches."""
    if options.with_bundle and options.out is None:
        raise UsageError(_("--with-bundle: name a file with --out; the bundle goes beside it"))
    if options.with_bundle and options.hide_hosts:
        raise UsageError(_("--with-bundle: a bundle holds the hosts that --hide-hosts takes out"))
    prepared: Prepared | None = None
    if options.from_bundle is not None:
        plan = plan_of(Path(options.from_bundle), options, REDACTOR)
        examined = _of_bundle(plan)
    else:
        prepared = prepare(options, environment, REDACTOR)
        if prepared is None:
            return exitcodes.NOTHING
        plan, examined = prepared.plan, environment
    # As other commands spell it; the format is always this one.
    out = None if options.out is None else options.out.removeprefix("markdown=")
    private = _private(environment, options.hide_hosts)
    private.hide(_urls(plan, examined))
    report = await consume(run(plan), [])
    text = _text(report, examined, private, options, here=prepared is not None)
    Sink(sys.stdout, private).write(text)
    _tell(private, masks_in(text, _secrets(report)))
    if out is not None:
        _write(Path(out), text, private)
        if options.with_bundle and prepared is not None:
            _write(Path(f"{out}.bundle.json"), prepared.bundle(), private)
    return exitcodes.FINDINGS if reaches(report, options.fail_on) else exitcodes.OK


def _of_bundle(plan: Plan) -> Environment | None:
    found = plan.recorder.recall("run", facts.ENVIRONMENT)
    return None if isinstance(found, Unavailable) else found


def _private(environment: Environment, hosts: bool) -> Private:
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):
        user = ""
    return Private(REDACTOR, home=environment.home, user=user, machine=platform.node(), hosts=hosts)


def _urls(plan: Plan, examined: Environment | None) -> Iterator[str]:
    """Where hosts are known to stand."""
    for target in plan.targets:
        connection = target.connection
        yield str(connection.base_url.value)
        yield from (str(held.value) for held in connection.base_url.shadows)
        yield str(connection.proxy.value)
    if examined is not None:
        for name, value in examined.variables.items():
            yield value
            if name.lower().endswith("_proxy"):
                # These need no scheme, and NO_PROXY holds several.
                bare = [part.strip().lstrip(".*") for part in value.split(",") if "://" not in part]
                yield from (f"http://{part}" for part in bare)


def _secrets(report: Report) -> Iterator[Secret]:
    for target in report.targets:
        key = target.connection.key
        if key is not None:
            yield from (held for held in (key.value, *(one.value for one in key.shadows)))


def _text(
    report: Report,
    examined: Environment | None,
    private: Private,
    options: argparse.Namespace,
    *,
    here: bool,
) -> str:
    look = Look(translate=Translator(options.lang or "en"))
    told = io.StringIO()
    sink = Sink(told, private)
    sink.write(bug_report(report, examined, Speech(sink, look), here=here))
    return told.getvalue()


def _tell(private: Private, keys: int) -> None:
    """On stderr: what was taken out. It is for the reader to see that it is enough."""
    taken = {"key": keys, **private.taken}
    told = [f"{_KINDS[kind]} {times}×" for kind, times in taken.items() if times]
    what = ", ".join(told) or _("nothing had to be")
    complain(_("taken out: {what}. Read the text above before you post it.", what=what))


def _write(path: Path, text: str, private: Private) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            Sink(stream, private).write(text)
    except OSError as error:
        raise UsageError(_("--out {path}: {why}", path=str(path), why=error.strerror)) from None
    complain(_("written: {path}", path=str(path)))
