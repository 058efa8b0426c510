"""Fixes: show the diff, ask, write, repeat the request that failed, tell the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.render.words import milliseconds
from doctor.text import Text, _
from doctor.tui import words
from doctor.tui.fixing import Applied
from doctor.tui.session import Scope, Trouble
from doctor.tui.state import Verdict

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


def start(app: DoctorApp, codes: tuple[str, ...], *, look_only: bool = False) -> None:
    """Propose the fixes of ``codes``; with ``look_only`` nothing can be applied."""
    if app.state.view.active:
        app.say(_("The run is not over: fixes are proposed when it is."))
    elif not app.state.fixes_allowed:
        app.say(_("No file is written from the browser. 'kvdoctor fix' does it in a terminal."))
    elif not codes:
        app.say(_("There is no fix to apply here."))
    else:
        app.run_worker(_flow(app, codes, look_only), group="act", exclusive=True)


async def _flow(app: DoctorApp, codes: tuple[str, ...], look_only: bool) -> None:
    from doctor.tui.screens.confirm import ConfirmScreen

    target = app.state.target
    if target is None or target.report is None:
        return
    try:
        proposal = await app.session.propose(target.report, codes)
        parts = await app.push_screen_wait(ConfirmScreen(proposal, look_only=look_only))
        if not parts:
            return
        applied = await app.session.apply(proposal, parts)
    except Trouble as trouble:
        app.say(str(trouble), severity="error")
        return
    app.state.undoable = True
    await verify(app, _written(applied), applied)


async def verify(app: DoctorApp, done: Text, applied: Applied | None = None) -> None:
    """Repeat the request and put the verdict in the banner."""
    app.state.verdict = Verdict(_("{done} Repeating the request…", done=done))
    app.draw_now()
    await app.examined(Scope())
    commands = applied.commands if applied is not None else ()
    app.state.verdict = _verdict(app, done, commands)
    app.draw_now()


def _written(applied: Applied) -> Text:
    if len(applied.files) == 1:
        return _("{file} was changed.", file=applied.files[0])
    return _(
        "{n} files were changed: {files}.", n=len(applied.files), files=", ".join(applied.files)
    )


def _verdict(app: DoctorApp, done: Text, commands: tuple[str, ...]) -> Verdict:
    target = app.state.target
    answer = None
    if target is not None and target.report is not None:
        answer = target.report.diagnosis.before
    if answer is None:
        text = app.state.trouble or _("The request was not repeated.")
        return Verdict(_("{done} {text}", done=done, text=text), good=False)
    if not answer.answered:
        text = _(
            "{done} The same request still fails: {error}.", done=done, error=words.outcome(answer)
        )
        return Verdict(text, good=False)
    text = _(
        "{done} The same request now answers {status} in {ms}.",
        done=done,
        status=answer.status,
        ms=milliseconds(answer.ms),
    )
    return Verdict(text, good=True, commands=commands)
