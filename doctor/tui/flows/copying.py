"""To the clipboard, and always also to a file: many terminals refuse OSC 52."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.models import Finding
from doctor.text import _
from doctor.tui.copies import copies_of
from doctor.tui.flows.saving import save

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


def start(app: DoctorApp, finding: Finding | None) -> None:
    """Let the user choose what to copy of ``finding`` and of the request."""
    app.run_worker(_flow(app, finding), group="act", exclusive=True)


async def _flow(app: DoctorApp, finding: Finding | None) -> None:
    from doctor.tui.screens.copy import CopyScreen

    target = app.state.target
    if target is None or target.report is None:
        app.say(_("There is nothing to copy before the run has ended."))
        return
    copies = copies_of(finding, target.report, app.speech)
    choice = await app.push_screen_wait(CopyScreen(copies))
    if choice is None:
        return
    if choice.to_file or app.is_web:
        await save(app, choice.copy.text + "\n", choice.copy.file_name)
        return
    app.copy_to_clipboard(choice.copy.text)
    app.say(_("Copied. If the terminal keeps its clipboard to itself, c and f write a file."))
