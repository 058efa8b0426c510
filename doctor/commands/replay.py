"""``kvdoctor replay BUNDLE``: the same checks on saved facts, with no network."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from doctor import bundle, exitcodes, registry
from doctor.commands.output import UsageError, complain, consume, reaches, renderers
from doctor.context import Options
from doctor.facts.observed import Environment, Settings
from doctor.run import Plan, run
from doctor.secrets import REDACTOR


def execute(options: argparse.Namespace) -> int:
    redactor = REDACTOR
    try:
        targets, recorder = bundle.load(Path(options.bundle))
        known = registry.load()
        plan = Plan(
            targets=targets,
            checks=known.selected(options.select, options.ignore),
            options=Options(offline=True),
            environment=Environment({}, "", "", ""),
            settings=Settings(),
            recorder=recorder,
            redactor=redactor,
            notes=known.notes,
        )
        with renderers(options, redactor) as consumers:
            report = asyncio.run(consume(run(plan), consumers))
    except OSError as error:
        complain(f"{options.bundle}: {error.strerror}")
        return exitcodes.USAGE
    except registry.UnknownSelector as error:
        complain(f"{error.selector}: no check, area or slug of that name")
        return exitcodes.USAGE
    except (bundle.BundleError, UsageError) as error:
        complain(str(error))
        return exitcodes.USAGE
    return exitcodes.FINDINGS if reaches(report, options.fail_on) else exitcodes.OK
