"""One exchange as it went by: bytes within bounds, moments, and how it ended."""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass, field

from doctor.tap.heads import Head

# What is kept of one body for reading; more passes by uncounted for but in length.
REQUEST_KEPT = 16 * 1024 * 1024
ANSWER_KEPT = 1024 * 1024


class End(enum.StrEnum):
    """How an exchange came to its end."""

    OPEN = "open"  # it was still going on when the tap was closed
    COMPLETE = "complete"
    CLIENT_LEFT = "client-left"
    CUT = "cut"  # the server ended the connection within its answer
    RESET = "reset"  # the same, with a reset
    UNREACHED = "unreached"  # no connection to the server came about
    OPAQUE = "opaque"  # it turned into something that is no HTTP (a WebSocket, a tunnel)


# Mutable, and made for every exchange: the standard decorator makes it faster.
@dataclass(slots=True)
class Seen:
    """``place`` is the id of the listener. Moments are those of ``time.perf_counter``; ``at`` is in
    seconds since 1970.

    ``arrived`` is the head as the program sent it. ``pieces`` are those of the answer's body with
    the moments of their coming, the frames of chunks taken out.
    """

    number: int
    place: str
    arrived: Head
    begun: float = field(default_factory=time.perf_counter)
    at: float = field(default_factory=time.time)
    body: bytearray = field(default_factory=bytearray)
    body_bytes: int = 0
    connected: float | None = None
    sent: float | None = None
    informed: int = 0
    answer: Head | None = None
    answered: float | None = None
    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    answer_bytes: int = 0
    first: float | None = None
    last: float | None = None
    arrivals: int = 0
    ended: float | None = None
    end: End = End.OPEN
    error: BaseException | None = None

    @property
    def over(self) -> bool:
        return self.ended is not None

    def take(self, data: bytes) -> None:
        """A piece of the request's body."""
        room = REQUEST_KEPT - len(self.body)
        if room > 0:
            self.body += data[:room]
        self.body_bytes += len(data)

    def hear(self, data: bytes) -> None:
        """A piece of the answer's body."""
        now = time.perf_counter()
        if self.first is None:
            self.first = now
        self.last = now
        self.arrivals += 1
        room = ANSWER_KEPT - self.answer_bytes
        if room > 0:
            self.pieces.append((now, data[:room]))
        self.answer_bytes += len(data)

    def close(self, end: End, error: BaseException | None = None) -> None:
        """It is over; what comes later does not count."""
        if self.ended is None:
            self.ended = time.perf_counter()
            self.end = end
            self.error = error
