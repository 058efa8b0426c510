"""``kvdoctor check``: discover, examine, repair in memory, report."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from doctor import bundle, exitcodes, registry
from doctor.commands.known import baseline_of, filtered, keep
from doctor.commands.output import UsageError, complain, consume, reaches, renderers
from doctor.context import Options
from doctor.facts.machine import Environment
from doctor.models import Applicability, Report
from doctor.records import dataclass
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Redactor
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.settings.environment import this_environment
from doctor.settings.errors import ConfigError
from doctor.text import _, stacked


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
    known = baseline_of(options)
    prepared = prepare(options, environment, redactor)
    if prepared is None:
        return exitcodes.NOTHING
    with renderers(options, redactor) as consumers:
        report = await consume(filtered(run(prepared.plan), known), consumers)
    if options.save_bundle:
        _write(Path(options.save_bundle), prepared.bundle())
    after(report)
    if keep(options, report):
        return exitcodes.OK
    return exitcodes.FINDINGS if reaches(report, options.fail_on) else exitcodes.OK


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that is about to begin, and what it will have seen."""

    plan: Plan
    recorder: bundle.Live

    def bundle(self) -> str:
        """Every fact of the run, redacted, once it has ended."""
        return bundle.dump(self.recorder.kept, self.plan.targets, self.plan.redactor)


def prepare(
    options: argparse.Namespace, environment: Environment, redactor: Redactor
) -> Prepared | None:
    """Discover what is to be examined; None, and told on stderr, where there is nothing.

    Raises ``UsageError``, ``ConfigError`` and ``registry.UnknownSelector``.
    """
    found = discover(target_request(options), environment)
    for secret in found.secrets:
        redactor.learn(secret)
    if not found.targets:
        complain(nothing_found(found), redactor)
        return None
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
    return Prepared(plan, recorder)


def _tell_of_fixes(report: Report) -> None:
    """On stderr: which command makes the proved changes last."""
    codes = dict.fromkeys(
        finding.code
        for finding in report.findings
        for fix in finding.fixes
        if fix.proved and fix.applicability is not Applicability.MANUAL
    )
    if codes:
        complain(_("to make it last: kvdoctor fix {codes}", codes=" ".join(codes)))


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
        keychain=options.keychain,
        run_key_helper=options.run_key_helper,
        trust_project=options.trust_project,
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
        window=options.window,
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
        raise UsageError(_("--connect-to {text}: write HOST:PORT=HOST:PORT", text=text)) from None


def _host_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host:
        raise ValueError(text)
    return host.strip("[]"), int(port)


def nothing_found(found: Discovery) -> str:
    """What the user is told where no target was found."""
    if found.elsewhere:
        why = stacked(found.elsewhere)
        return stacked((_("nothing to examine: {why}", why=why), *found.notes))
    text = _(
        "nothing to examine: no base URL, key or kvdoctor.toml was found. Name a target: "
        "kvdoctor check https://HOST/v1 --key-env NAME --model ID, or see 'kvdoctor demo'."
    )
    return stacked((text, *found.notes))


def usage_text(error: Exception) -> str:
    """What the user is told of an error that ends with exit code 2."""
    if isinstance(error, registry.UnknownSelector):
        name = error.selector
        if error.hint:
            return _(
                "{name}: no check, area or slug of that name; the nearest is {near}",
                name=name,
                near=error.hint,
            )
        return _("{name}: no check, area or slug of that name", name=name)
    return str(error)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(
            _("--save-bundle {path}: {why}", path=str(path), why=error.strerror)
        ) from None
