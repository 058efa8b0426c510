"""A crash of kvdoctor itself: one line to the user, a redacted file to attach to a report."""

from __future__ import annotations

import datetime
import os
import platform
import re
import sys
import traceback
from pathlib import Path

from doctor import __version__
from doctor.arguments import told
from doctor.render.base import Sink
from doctor.secrets import REDACTOR
from doctor.settings.carried import of_variables
from doctor.text import Text, _
from doctor.untrusted import harmless


def tell(error: Exception) -> None:
    """Write the crash file and say where it is."""
    # It may have come before anything was read.
    for secret in of_variables(os.environ):
        REDACTOR.learn(secret)
    first = harmless(REDACTOR(f"{type(error).__name__}: {error}"))
    sink = Sink(sys.stderr, REDACTOR)
    sink.write(_line(_("internal error: {what}", what=first)))
    try:
        path = _file()
        path.write_text(REDACTOR(crash_text(error)), "utf-8")
    except OSError as failure:
        why = failure.strerror
        sink.write(_line(_("the crash report could not be written: {why}", why=why)))
        sink.write(crash_text(error))
        return
    sink.write(_line(_("the crash report, with keys masked, is {path}", path=str(path))))


def _line(text: Text) -> str:
    return f"kvdoctor: {told(text)}\n"


def crash_text(error: Exception) -> str:
    """Versions and the traceback, as Markdown."""
    trace = harmless(REDACTOR("".join(traceback.format_exception(error))), limit=100_000)
    # Longer than any in the text, which may come from a server.
    fence = "`" * (max(map(len, re.findall("`+", trace)), default=0) + 3)
    return (
        f"# kvdoctor {__version__} crashed\n\n"
        f"- Python {platform.python_version()} on {platform.platform()}\n\n"
        f"{fence}\n{trace}{fence}\n"
    )


def _file() -> Path:
    import platformdirs

    folder = Path(platformdirs.user_state_dir("kvdoctor", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S")
    return folder / f"crash-{now}.md"
