"""``kvdoctor check``: discover, examine, repair in memory, report."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from doctor import bundle, exitcodes, registry
from doctor.commands.output import UsageError, complain, consume, reaches, renderers
from doctor.context import Options
from doctor.facts.observed import Environment
from doctor.models import Applicability, Report
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Redactor
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError


def execute(options: argparse.Namespace) -> int:
    redactor = REDACTOR
    try:
        return asyncio.run(diagnose(options, this_environment(), redactor, _tell_of_fixes))
    except (UsageError, ConfigError, registry.UnknownSelector) as error:
        complain(usage_text(error), redactor)
        return exitcodes.USAGE


async def diagnose(
    options: argparse.Namespace,
    environment: Environment,
    redactor: Redactor,
    after: Callable[[Report], None] = lambda report: None,
) -> int:
    """Discover in ``environment``, examine, render; the value is the exit code.

    ``after`` gets the report once it is written.

    Raises ``UsageError``, ``ConfigError`` and ``registry.UnknownSelector``.
    """
    found = discover(target_request(options), environment)
    for secret in found.secrets:
        redactor.learn(secret)
    if not found.targets:
        complain(nothing_found(found), redactor)
        return exitcodes.NOTHING
    known = registry.load()
    recorder = bundle.Live()
    plan = Plan(
        targets=found.targets,
        checks=known.selected(options.select, options.ignore),
        options=run_options(options, found),
        environment=environment,
        settings=found.settings,
        recorder=recorder,
        redactor=redactor,
        notes=(*known.notes, *found.notes),
        ignores=found.ignores,
    )
    with renderers(options, redactor) as consumers:
        report = await consume(run(plan), consumers)
    if options.save_bundle:
        text = bundle.dump(recorder.kept, found.targets, redactor)
        _write(Path(options.save_bundle), text)
    after(report)
    return exitcodes.FINDINGS if reaches(report, options.fail_on) else exitcodes.OK


def _tell_of_fixes(report: Report) -> None:
    """On stderr: which command makes the proved changes last."""
    codes = dict.fromkeys(
        finding.code
        for finding in report.findings
        for fix in finding.fixes
        if fix.proved and fix.applicability is not Applicability.MANUAL
    )
    if codes:
        complain(f"to make it last: kvdoctor fix {' '.join(codes)}")


def target_request(options: argparse.Namespace) -> TargetRequest:
    """The flags that name and shape targets. The key never comes from argv."""
    return TargetRequest(
        names=tuple(options.targets),
        base_url=options.base_url,
        model=options.model,
        max_tokens=options.max_tokens,
        client=options.client,
        protocol=options.protocol,
        key_env=options.key_env,
        key_file=options.key_file,
        key_stdin=_exact_stdin() if options.key_stdin else None,
        env_file=options.env_file,
        env_reader=options.env_reader,
        proxy=options.proxy,
        ca_bundle=options.ca_bundle,
    )


def _exact_stdin() -> str:
    """Standard input without any translation of line ends: they may be the fault."""
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def run_options(options: argparse.Namespace, found: Discovery) -> Options:
    """How the run may behave. Raises ``UsageError``."""
    return Options(
        no_spend=options.no_spend,
        offline=options.offline,
        timeout=options.timeout,
        sdk=options.sdk,
        ca_bundle=options.ca_bundle,
        connect_to=dict(_connect_to(text) for text in options.connect_to),
        trust_project=options.trust_project,
        named=frozenset(target.id for target in found.targets if target.named),
    )


def _connect_to(text: str) -> tuple[tuple[str, int], tuple[str, int]]:
    source, _equals, destination = text.partition("=")
    try:
        return _host_port(source), _host_port(destination)
    except ValueError:
        raise UsageError(f"--connect-to {text}: write HOST:PORT=HOST:PORT") from None


def _host_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host:
        raise ValueError(text)
    return host.strip("[]"), int(port)


def nothing_found(found: Discovery) -> str:
    """What the user is told where no target was found."""
    text = (
        "nothing to examine: no base URL, key or kvdoctor.toml was found. Name a target: "
        "kvdoctor check https://HOST/v1 --key-env NAME --model ID, or see 'kvdoctor demo'."
    )
    return "\n".join((text, *found.notes))


def usage_text(error: Exception) -> str:
    """What the user is told of an error that ends with exit code 2."""
    if isinstance(error, registry.UnknownSelector):
        hint = f"; the nearest is {error.hint}" if error.hint else ""
        return f"{error.selector}: no check, area or slug of that name{hint}"
    return str(error)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"--save-bundle {path}: {error.strerror}") from None
