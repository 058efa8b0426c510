"""The last applied fixes, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.text import _
from doctor.tui.session import Scope, Trouble

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


def start(app: DoctorApp) -> None:
    """Show what would be put back, ask, put it back, examine anew."""
    if app.state.view.active:
        app.say(_("The run is not over."))
    elif not app.state.fixes_allowed:
        app.say(_("No file is written from the browser. 'kvdoctor undo' does it in a terminal."))
    else:
        app.run_worker(_flow(app), group="act", exclusive=True)


async def _flow(app: DoctorApp) -> None:
    from doctor.tui.screens.undo import UndoScreen

    try:
        text = await app.session.undoable()
        if text is None:
            app.say(_("There is nothing to take back."))
            return
        if not await app.push_screen_wait(UndoScreen(text)):
            return
        undone = await app.session.undo()
        app.state.undoable = await app.session.undoable() is not None
    except Trouble as trouble:
        app.say(str(trouble), severity="error")
        return
    app.state.verdict = None
    app.say(_("Put back, byte for byte: {files}.", files=", ".join(undone.files)))
    await app.examined(Scope())
