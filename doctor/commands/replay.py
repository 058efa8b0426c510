"""``kvdoctor replay BUNDLE``: the same checks on saved facts, with no network."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from doctor import bundle, exitcodes, registry
from doctor.commands.output import UsageError, complain, consume, reaches, renderers
from doctor.context import Options
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.run import Plan, run
from doctor.secrets import REDACTOR, Redactor
from doctor.text import _


def plan_of(path: Path, options: argparse.Namespace, redactor: Redactor) -> Plan:
    """The run that a bundle was kept of, to be judged again. Raises ``bundle.BundleError``,
    ``OSError`` and ``registry.UnknownSelector``."""
    targets, recorder = bundle.load(path)
    known = registry.load()
    return Plan(
        targets=targets,
        checks=known.selected(options.select, options.ignore),
        options=Options(offline=True),
        environment=Environment({}, "", "", ""),
        settings=Settings(),
        recorder=recorder,
        redactor=redactor,
        notes=known.notes,
    )


def execute(options: argparse.Namespace) -> int:
    redactor = REDACTOR
    try:
        plan = plan_of(Path(options.bundle), options, redactor)
        with renderers(options, redactor) as consumers:
            report = asyncio.run(consume(run(plan), consumers))
    except OSError as error:
        complain(_("{bundle}: {why}", bundle=options.bundle, why=error.strerror))
        return exitcodes.USAGE
    except registry.UnknownSelector as error:
        complain(_("{selector}: no check, area or slug of that name", selector=error.selector))
        return exitcodes.USAGE
    except (bundle.BundleError, UsageError) as error:
        complain(str(error))
        return exitcodes.USAGE
    return exitcodes.FINDINGS if reaches(report, options.fail_on) else exitcodes.OK
