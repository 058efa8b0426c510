"""A finding left out from now on, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.models import Finding
from doctor.text import _
from doctor.tui.session import Trouble

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


def start(app: DoctorApp, finding: Finding | None) -> None:
    """Ask for the reason and write the rule to kvdoctor.toml."""
    if not app.state.fixes_allowed:
        app.say(_("No file is written from the browser."))
    elif finding is not None:
        app.run_worker(_flow(app, finding), group="act", exclusive=True)


async def _flow(app: DoctorApp, finding: Finding) -> None:
    from doctor.tui.screens.ignore import IgnoreScreen

    reason = await app.push_screen_wait(IgnoreScreen(finding))
    if not reason:
        return
    try:
        applied = await app.session.ignore(finding.code, finding.target, reason)
        prepared = await app.session.prepare()
    except Trouble as trouble:
        app.say(str(trouble), severity="error")
        return
    app.state.undoable = True
    app.state.prepared = prepared
    app.say(
        _(
            "{code} is left out for {target}, as {file} now says.",
            code=finding.code,
            target=finding.target,
            file=", ".join(applied.files),
        )
    )
    app.draw_now()
