"""``--baseline FILE`` and ``--write-baseline``: showing only what is new."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from doctor.commands.output import UsageError, complain
from doctor.events import Event
from doctor.models import Report
from doctor.text import _

if TYPE_CHECKING:
    from doctor.baseline import Baseline


def baseline_of(options: argparse.Namespace) -> Baseline | None:
    """What ``--baseline`` knows; None where all is to be shown. Raises ``UsageError``."""
    if options.baseline is None:
        if options.write_baseline:
            raise UsageError(_("--write-baseline: name the file with --baseline FILE"))
        return None
    if options.write_baseline:
        return None
    from doctor.baseline import BaselineError, load

    try:
        return load(Path(options.baseline))
    except BaselineError as error:
        raise UsageError(_("--baseline {why}", why=str(error))) from None
    except OSError as error:
        hint = "; --write-baseline makes it" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(
            _(
                "--baseline {baseline}: {why}{hint}",
                baseline=options.baseline,
                why=error.strerror,
                hint=hint,
            )
        ) from None


def filtered(events: AsyncIterator[Event], known: Baseline | None) -> AsyncIterator[Event]:
    """The events without what is known."""
    if known is None:
        return events
    from doctor.baseline import only_new

    return only_new(events, known)


def keep(options: argparse.Namespace, report: Report) -> bool:
    """Write the baseline if asked to; whether it was. Raises ``UsageError``."""
    if not options.write_baseline:
        return False
    from doctor.baseline import dump

    try:
        Path(options.baseline).write_text(dump(report.findings), "utf-8")
    except OSError as error:
        raise UsageError(
            _("--baseline {baseline}: {why}", baseline=options.baseline, why=error.strerror)
        ) from None
    complain(
        _(
            "{findings} findings are known from now on: {baseline}",
            findings=len(report.findings),
            baseline=options.baseline,
        )
    )
    return True
