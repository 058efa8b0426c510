"""A report of the run in any format that ``kvdoctor check`` writes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from doctor.render.base import Look
from doctor.render.choose import FORMATS
from doctor.text import _
from doctor.tui.flows.saving import save

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

_WIDTH = 100
_ENDINGS = {"plain": "txt", "rich": "txt", "junit": "xml", "markdown": "md", "github": "txt"}


def start(app: DoctorApp) -> None:
    """Let the user choose a format and a file."""
    app.run_worker(_flow(app), group="act", exclusive=True)


async def _flow(app: DoctorApp) -> None:
    from doctor.tui.screens.export import ExportScreen

    if app.state.view.report is None:
        app.say(_("There is no report before a run has ended."))
        return
    name = await app.push_screen_wait(ExportScreen(tuple(FORMATS)))
    if name is not None:
        await save(app, rendered(app, name), f"kvdoctor-report.{_ENDINGS.get(name, name)}")


def rendered(app: DoctorApp, name: str) -> str:
    """The last whole run in the format ``name``, redacted."""
    out = io.StringIO()
    look = Look(translate=app.speech.translate, width=_WIDTH)
    renderer = FORMATS[name](out, app.session.redactor, look)
    for event in app.state.view.events:
        renderer.handle(event)
    return out.getvalue()
