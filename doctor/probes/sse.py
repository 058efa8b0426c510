"""Server-sent events, read as they come.

Lines end in LF, CRLF or CR; an event ends at an empty line, and a stream that just stops still
gives its last event if that has data (what SDKs do).
"""

from __future__ import annotations

import codecs

MAX_EVENTS = 200
# Of one event; a longer line is no token of a model.
MAX_EVENT = 32 * 1024


class EventReader:
    """Collects the data of events. ``feed`` bytes, then ``end``; both give the new ones."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._line: list[str] = []
        self._line_size = 0
        self._data: list[str] = []
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[str]:
        """The data of every event that ``chunk`` completes."""
        return self._read(self._decode.decode(chunk))

    def end(self) -> list[str]:
        """The data of the last event, where the stream stopped in it."""
        events = self._read(self._decode.decode(b"", True))
        self._end_line(events)
        self._end_event(events)
        return events

    def _read(self, text: str) -> list[str]:
        events: list[str] = []
        start = 0
        for position, char in enumerate(text):
            if char == "\n" and self._after_cr:
                self._after_cr = False
                start = position + 1
                continue
            self._after_cr = char == "\r"
            if char in "\r\n":
                self._add(text[start:position])
                self._end_line(events)
                start = position + 1
        self._add(text[start:])
        return events

    def _add(self, part: str) -> None:
        room = MAX_EVENT - self._line_size
        if part and room > 0:
            self._line.append(part[:room])
            self._line_size += len(part[:room])

    def _end_line(self, events: list[str]) -> None:
        line = "".join(self._line).removeprefix("\ufeff")
        self._line.clear()
        self._line_size = 0
        if not line:
            self._end_event(events)
            return
        name, _, value = line.partition(":")
        if name == "data" and sum(map(len, self._data)) < MAX_EVENT:
            self._data.append(value.removeprefix(" "))

    def _end_event(self, events: list[str]) -> None:
        if self._data:
            events.append("\n".join(self._data))
            self._data.clear()
