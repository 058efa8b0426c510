"""A text into a file of the user's choice; in a browser, a download."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import TYPE_CHECKING

from doctor.text import _

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


async def save(app: DoctorApp, text: str, name: str) -> None:
    """Ask where, write, say so. ``text`` is redacted already."""
    from doctor.tui.screens.save import SaveScreen

    if app.is_web:
        app.deliver_text(io.StringIO(text), save_filename=name)
        return
    path = await app.push_screen_wait(SaveScreen(name))
    if path is None:
        return
    try:
        await asyncio.to_thread(_write, path, text)
    except OSError as error:
        reason = error.strerror or str(error)
        app.say(_("{path}: {reason}", path=str(path), reason=reason), severity="error")
        return
    app.say(_("Written: {path}", path=str(path)))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
