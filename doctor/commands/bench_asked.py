"""Whom a benchmark asks and what, by the flags; and the question before it spends."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from doctor.bench.bodies import Prompts, from_log
from doctor.bench.running import Source
from doctor.bench.scenario import Load, Scenario
from doctor.bench.side import Asked
from doctor.commands.check import nothing_found, run_options
from doctor.commands.output import UsageError, complain
from doctor.connection import Protocol
from doctor.facts.machine import Environment
from doctor.render.base import Sink
from doctor.secrets import REDACTOR
from doctor.settings.discover import Discovery, discover
from doctor.settings.request import TargetRequest
from doctor.target import Target
from doctor.text import Text, _
from doctor.untrusted import visible
from doctor.urls import is_local, read


class NothingToAsk(Exception):
    """There is no target; ends with exit code 3."""


def asked_of(
    options: argparse.Namespace,
    request: TargetRequest,
    environment: Environment,
    model: str | None,
) -> Asked:
    """``model`` stands in for the configured one. Raises ``UsageError``, ``ConfigError`` and
    ``NothingToAsk``."""
    found = discover(request, environment)
    for secret in found.secrets:
        REDACTOR.learn(secret)
    for note in found.notes:
        complain(note, REDACTOR)
    return Asked(
        target=_target(found),
        options=run_options(options, found),
        environment=environment,
        settings=found.settings,
        redactor=REDACTOR,
        model=model,
    )


def _target(found: Discovery) -> Target:
    """The one to ask. Raises ``UsageError`` and ``NothingToAsk``."""
    if not found.targets:
        raise NothingToAsk(nothing_found(found))
    named = [target for target in found.targets if target.named] or list(found.targets)
    if len(named) > 1:
        names = ", ".join(target.id for target in named)
        raise UsageError(_("bench asks one target, and several are found: {names}", names=names))
    return named[0]


def scenario_of(options: argparse.Namespace) -> Scenario:
    """What the flags ask for."""
    sweep = not options.concurrency and not options.rate
    if options.rate:
        loads = tuple(Load(rate=each) for each in options.rate)
    elif options.concurrency:
        loads = tuple(Load(concurrency=each) for each in options.concurrency)
    else:
        loads = tuple(Load(concurrency=each) for each in doublings(options.up_to))
    return Scenario(
        loads=loads,
        prompt_tokens=options.prompt_tokens,
        output_tokens=options.output_tokens or options.max_tokens or 128,
        shared=options.shared,
        log=", ".join(visible(name, 200) for name in options.log or ()),
        sweep=sweep,
        requests=options.requests,
        seconds=options.seconds,
        tokens=options.max_total_tokens,
        repeats=options.repeats or (3 if len(loads) == 1 else 1),
        warmup=max(options.warmup, 0),
        arrival=options.arrival,
        seed=options.seed,
    )


def doublings(most: int) -> list[int]:
    """1, 2, 4, … and ``most`` itself."""
    found = [1]
    while found[-1] * 2 <= most:
        found.append(found[-1] * 2)
    return found if found[-1] == most else [*found, most]


def source_of(options: argparse.Namespace, scenario: Scenario, protocol: Protocol) -> Source:
    """Raises ``NoLog`` and ``OSError``."""
    if options.log:
        if protocol is Protocol.GEMINI_GENERATE:
            raise UsageError(_("streams of this client's API are not measured"))
        return from_log(
            options.log, protocol, options.output_tokens or options.max_tokens, options.field
        )
    return Prompts(
        protocol,
        scenario.prompt_tokens,
        scenario.output_tokens,
        shared=scenario.shared,
        seed=scenario.seed,
    )


def require_spending(options: argparse.Namespace) -> None:
    """Raises ``UsageError`` where nothing may be spent, or nobody asked."""
    if options.no_spend or options.offline:
        raise UsageError(_("bench sends requests that cost tokens: not with --no-spend"))


def require_consent(
    options: argparse.Namespace, sides: Sequence[Asked], scenario: Scenario
) -> None:
    """Asks before a server beyond the own network is put under load. Raises ``UsageError``."""
    text = to_consent([side.target.connection.base_url.value for side in sides], scenario)
    if text is None or options.yes:
        return
    if sys.stdin is None or not sys.stdin.isatty() or options.key_stdin:
        raise UsageError(_("{what}: --yes says that they may be spent", what=text))
    Sink(sys.stderr, REDACTOR).write(f"{text}. Send them? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError(_("nothing was sent"))


def to_consent(urls: Sequence[str], scenario: Scenario) -> Text | None:
    """What would be sent to servers beyond the own network, for a question; None where there are
    none among the base URLs ``urls``."""
    hosted = [url for url in urls if not _own(url)]
    if not hosted:
        return None
    return _(
        "up to {requests} requests, about {tokens} tokens at most, to {urls}",
        requests=f"{scenario.most_requests * len(urls):,}",
        tokens=f"{scenario.most_tokens(len(urls)):,}",
        urls=", ".join(visible(url, 200) for url in hosted),
    )


def _own(url: str) -> bool:
    base = read(url).base
    return base is not None and is_local(base.host)
