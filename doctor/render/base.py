"""What every output has in common: events go in, redacted and harmless text comes out."""

from __future__ import annotations

from typing import IO, Protocol

from doctor.events import Event
from doctor.records import dataclass
from doctor.secrets import Redactor
from doctor.text import Translator


class Sink:
    """The only way out for text: everything written is redacted first."""

    def __init__(self, stream: IO[str], redactor: Redactor) -> None:
        self._stream = stream
        self._redactor = redactor

    def write(self, text: str) -> None:
        # A lone surrogate, or a character that the terminal's encoding lacks, must not end the
        # run with a traceback.
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        safe = self._redactor(text).encode(encoding, "backslashreplace").decode(encoding)
        self._stream.write(safe)

    def flush(self) -> None:
        self._stream.flush()

    @property
    def is_terminal(self) -> bool:
        return self._stream.isatty()


@dataclass(frozen=True, slots=True)
class Look:
    """How an output for people is written. ``width`` is in columns."""

    translate: Translator
    width: int = 100
    color: bool = False
    verbose: bool = False


class Renderer(Protocol):
    """A consumer of a run's events."""

    def handle(self, event: Event) -> None: ...
