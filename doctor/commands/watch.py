"""``kvdoctor watch``: the engine's load, line by line; on a terminal drawn by the app."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol

from doctor import __version__, exitcodes
from doctor.commands.check import nothing_found, run_options, target_request, usage_text
from doctor.commands.output import UsageError, complain, translator
from doctor.facts.machine import Environment
from doctor.facts.store import Unavailable
from doctor.frontend import has_screen
from doctor.render.base import Sink
from doctor.secrets import REDACTOR, Redactor
from doctor.settings.discover import Discovery, discover
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.text import Translator, _
from doctor.watching import Watch, watchable, watched

if TYPE_CHECKING:
    from doctor.enginemetrics.sample import Gap, Sample

# As often as this the names of the columns are written again.
_PAGE = 20
# Looks that are judged together: one full moment is none, and two that lie far apart are two.
_LATELY = 5


def execute(options: argparse.Namespace) -> int:
    text = options.format or options.plain or options.no_color or options.count is not None
    if (
        not text
        and not os.environ.get("NO_COLOR")
        and has_screen(os.environ, sys.stdin, sys.stdout)
    ):
        return _in_the_app(options)
    try:
        return asyncio.run(watch(options, this_environment(), REDACTOR))
    except (UsageError, ConfigError) as error:
        complain(usage_text(error), REDACTOR)
        return exitcodes.USAGE


def _in_the_app(options: argparse.Namespace) -> int:
    from doctor.commands.tui import open_app
    from doctor.fixes.journal import Journal, state_folder

    journal = Journal(state_folder())
    return asyncio.run(open_app(options, this_environment(), journal, options.interval))


async def watch(options: argparse.Namespace, environment: Environment, redactor: Redactor) -> int:
    """Write samples to stdout until ``options.count`` are written; the value is the exit code.

    Raises ``UsageError`` and ``ConfigError``.
    """
    found = discover(target_request(options), environment)
    for secret in found.secrets:
        redactor.learn(secret)
    if not found.targets:
        complain(nothing_found(found), redactor)
        return exitcodes.NOTHING
    writer = _writer(options, redactor)
    reasons: list[str] = []
    for target in watchable(found.targets):
        plan = Watch(
            target=target,
            options=run_options(options, found),
            environment=environment,
            settings=found.settings,
            redactor=redactor,
            interval=options.interval,
        )
        try:
            return await _write(watched(plan), writer, options.count)
        except Unavailable as reason:
            reasons.append(f"{target.label}: {reason}")
    complain("\n".join(reasons) or _no_engine(found), redactor)
    return exitcodes.NOTHING


def _no_engine(found: Discovery) -> str:
    names = ", ".join(target.id for target in found.targets)
    return (
        "none of the targets is an engine on the own network; name the one to watch "
        f"(kvdoctor watch NAME or URL): {names}"
    )


async def _write(samples: AsyncIterator[Sample | Gap], writer: Writer, count: int | None) -> int:
    """Exit code 1 where the engine was saturated at more than one look of a few."""
    from doctor.enginemetrics.sample import lasting

    written, held = 0, False
    lately: deque[Sample | Gap] = deque(maxlen=_LATELY)
    async for sample in samples:
        writer.write(sample)
        written += 1
        lately.append(sample)
        held = held or lasting(lately)
        if written == count:
            break
    writer.close()
    return exitcodes.FINDINGS if held else exitcodes.OK


def _writer(options: argparse.Namespace, redactor: Redactor) -> Writer:
    sink = Sink(sys.stdout, redactor)
    if options.format in ("json", "jsonl"):
        if options.format == "json" and options.count is None:
            raise UsageError(_("--format json is one document: say with --count how many samples"))
        return JsonWriter(sink, lines=options.format == "jsonl")
    return PlainWriter(sink, translator(options))


class Writer(Protocol):
    """Takes samples as they come."""

    def write(self, sample: Sample | Gap) -> None: ...

    def close(self) -> None:
        """After the last one."""


class JsonWriter(Writer):
    """One document, or a line for each sample."""

    SCHEMA = "kvdoctor.watch/1"

    def __init__(self, sink: Sink, *, lines: bool) -> None:
        self._sink = sink
        self._lines = lines
        self._kept: list[dict[str, object]] = []

    def write(self, sample: Sample | Gap) -> None:
        from dataclasses import asdict

        told = asdict(sample)
        if self._lines:
            self._sink.write(json.dumps(told) + "\n")
            self._sink.flush()
        else:
            self._kept.append(told)

    def close(self) -> None:
        if not self._lines:
            tool = {"name": "kvdoctor", "version": __version__}
            document = {"schema": self.SCHEMA, "tool": tool, "samples": self._kept}
            self._sink.write(json.dumps(document, indent=2) + "\n")


class PlainWriter(Writer):
    """A line for each sample, in columns."""

    def __init__(self, sink: Sink, translate: Translator) -> None:
        self._sink = sink
        self._translate = translate
        self._lines = 0

    def write(self, sample: Sample | Gap) -> None:
        from doctor.columns import right
        from doctor.render.samples import COLUMNS, cells, clock

        if self._lines % _PAGE == 0:
            heads = [right(self._translate(column.head), column.width) for column in COLUMNS]
            self._sink.write(" ".join((" " * 8, *heads)).rstrip() + "\n")
        self._lines += 1
        self._sink.write(f"{clock(sample.at)} {cells(sample, self._translate)}".rstrip() + "\n")
        self._sink.flush()

    def close(self) -> None:
        """Every line is out already."""


__all__ = ["execute", "watch"]
