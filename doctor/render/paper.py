"""Sheets as text: what the writers of all formats share, and who writes which."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from doctor.events import Event, RunFinished
from doctor.render.base import Look, Sink
from doctor.render.lines import Lines
from doctor.render.sheet import Sheet, threshold_of
from doctor.text import Translator
from doctor.untrusted import visible

# Write English whatever the reader's language: programs read them.
ENGLISH = frozenset({"junit", "sarif", "github"})


class Speech:
    """Texts of a sheet as they may stand in a document: translated, without secrets, harmless.

    Redaction comes first: once a text is escaped, a key with a quote in it would not be known.
    """

    def __init__(self, sink: Sink, look: Look) -> None:
        self._say = Lines(sink, look).say
        self.language = look.translate.language
        self.redacted = sink.redacted

    def block(self, text: str) -> str:
        """``text`` with its line breaks."""
        return self._say(text)

    def line(self, text: str) -> str:
        """``text`` on one line."""
        return visible(self._say(text), limit=8_000)

    def answer(self, text: str) -> str:
        """Text in columns that was made harmless line by line already."""
        return self.redacted(text)


Write = Callable[[Sheet, Speech], str]


def _markdown(sheet: Sheet, speech: Speech) -> str:
    from doctor.render.markdown import markdown

    return markdown(sheet, speech)


def _html(sheet: Sheet, speech: Speech) -> str:
    from doctor.render.html import html

    return html(sheet, speech)


def _junit(sheet: Sheet, speech: Speech) -> str:
    from doctor.render.junit import junit

    return junit(sheet, speech)


def _sarif(sheet: Sheet, speech: Speech) -> str:
    from doctor.render.sarif import sarif

    return sarif(sheet, speech)


def _github(sheet: Sheet, speech: Speech) -> str:
    from doctor.render.github import github

    return github(sheet, speech)


WRITERS: Mapping[str, Write] = {
    "junit": _junit,
    "sarif": _sarif,
    "github": _github,
    "markdown": _markdown,
    "html": _html,
}


def write_sheet(name: str, sheet: Sheet, sink: Sink, look: Look) -> None:
    """``sheet`` in the format ``name``, one of ``WRITERS``."""
    if name in ENGLISH:
        import dataclasses

        look = dataclasses.replace(look, translate=Translator())
    text = WRITERS[name](sheet, Speech(sink, look))
    if name == "github":
        # Its lines are orders to a build server, and the only ones that are meant.
        sink.write_orders(text)
    else:
        sink.write(text)


class SheetRenderer:
    """Writes one document at the end of the run."""

    def __init__(self, name: str, sink: Sink, look: Look) -> None:
        self._name = name
        self._sink = sink
        self._look = look

    def handle(self, event: Event) -> None:
        if isinstance(event, RunFinished):
            from doctor.render.sheetof import sheet_of_report

            sheet = sheet_of_report(event.report, threshold_of(self._look.fail_on))
            write_sheet(self._name, sheet, self._sink, self._look)
