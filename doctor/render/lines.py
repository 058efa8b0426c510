"""Wrapped lines of plain text."""

from __future__ import annotations

from doctor.columns import wrapped
from doctor.render.base import Look, Sink
from doctor.untrusted import harmless, visible


class Lines:
    """Writes paragraphs: translated, harmless, wrapped to the look's width (in columns)."""

    def __init__(self, sink: Sink, look: Look) -> None:
        self._sink = sink
        self._look = look

    def say(self, text: str) -> str:
        """``text`` in the reader's language, ready to be part of a line."""
        # Before it is wrapped: a key with a blank in it would be parted.
        told = self._sink.redacted(self._look.translate(text))
        return self._sink.redacted(harmless(told, limit=8_000))

    def flat(self, text: str) -> str:
        """As ``say``, on one line."""
        return self._sink.redacted(visible(self._sink.redacted(self._look.translate(text))))

    def wrap(self, text: str, indent: int = 0, hang: int = 0) -> None:
        """One paragraph; ``hang`` indents its further lines."""
        blank = " " * indent
        for paragraph in self.say(text).split("\n"):
            lines = wrapped(paragraph, self._look.width, blank, blank + " " * hang)
            for line in lines or [""]:
                self.line(line)

    def line(self, text: str) -> None:
        """One line as it is."""
        self._sink.write(text.rstrip() + "\n")
