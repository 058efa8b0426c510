"""What every output has in common: events go in, redacted and harmless text comes out."""

from __future__ import annotations

from typing import IO, Protocol

from doctor.events import Event
from doctor.records import dataclass
from doctor.render.outlet import Outlet
from doctor.secrets import Redactor
from doctor.text import Translator


class Sink:
    """The only way out for text: everything written is redacted first."""

    def __init__(self, stream: IO[str], redactor: Redactor) -> None:
        self._outlet = Outlet(stream)
        self._redactor = redactor

    def redacted(self, text: str) -> str:
        """``text`` without secrets, for who cuts or wraps it before it is written."""
        return self._redactor(text)

    def write(self, text: str) -> None:
        self._outlet.write(self._redactor(text))

    def write_orders(self, text: str) -> None:
        """Lines for a build server, whose values the writer has escaped by that server's rules."""
        self._outlet.write_orders(self._redactor(text))

    def flush(self) -> None:
        self._outlet.flush()

    @property
    def is_terminal(self) -> bool:
        return self._outlet.isatty()


@dataclass(frozen=True, slots=True)
class Look:
    """How an output for people is written. ``width`` is in columns. ``fail_on`` is the severity
    from which on a finding counts as a failure, as ``--fail-on`` spells it."""

    translate: Translator
    width: int = 100
    color: bool = False
    verbose: bool = False
    fail_on: str = "error"


class Renderer(Protocol):
    """A consumer of a run's events."""

    def handle(self, event: Event) -> None: ...
