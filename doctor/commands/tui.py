"""``kvdoctor`` on a terminal: the app. ``kvdoctor --web``: the same in a browser."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from doctor import exitcodes
from doctor.commands.output import complain, translator
from doctor.facts.machine import Environment
from doctor.fixes.journal import Journal, state_folder
from doctor.frontend import has_screen
from doctor.secrets import REDACTOR
from doctor.settings.environment import this_environment
from doctor.text import _

if TYPE_CHECKING:
    from doctor.clinic.sitting import Sitting
    from doctor.tui.screens.tap import Feed


def execute(options: argparse.Namespace) -> int:
    if options.web:
        from doctor.commands.web import serve

        return serve(options)
    if not has_screen(os.environ, sys.stdin, sys.stdout):
        complain(_("there is no terminal to draw on; 'kvdoctor check' writes text"))
        return exitcodes.USAGE
    return asyncio.run(open_app(options, this_environment(), Journal(state_folder())))


async def open_app(
    options: argparse.Namespace,
    environment: Environment,
    journal: Journal,
    watches: float | None = None,
    taps: Feed | None = None,
    clinic: Sitting | None = None,
) -> int:
    """Run the app on ``environment`` until the user leaves; ``journal`` keeps its fixes.

    ``watches`` opens the live engine, looked at every so many seconds, in place of a run; ``taps``
    the requests that go through a tap; ``clinic`` the exercises.
    """
    from doctor.tui.terminal import settle_animations

    settle_animations(this_environment().over_ssh)
    from doctor.tui.app import DoctorApp
    from doctor.tui.live import LiveSession
    from doctor.tui.speech import Speech

    session = LiveSession(options, environment, REDACTOR, journal)
    speech = Speech(translator(options), REDACTOR)
    app = DoctorApp(
        session, speech, fixes=not options.served, watches=watches, taps=taps, clinic=clinic
    )
    await app.run_async()
    if app.failure is not None:
        # The crash report masks keys; textual's own would print local variables.
        raise app.failure
    return exitcodes.OK


def journal_of(environment: Environment) -> Journal:
    """A journal within the home of ``environment``: for a setup that is not the user's own."""
    return Journal(Path(environment.home) / ".local" / "state" / "kvdoctor" / "fixes")
