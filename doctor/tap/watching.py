"""Reads along on one connection: which answer belongs to which request, and when what came."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from doctor.tap.framing import Framer, Framing, request_framing, response_framing
from doctor.tap.heads import Head
from doctor.tap.seen import End, Seen

# Makes the record of an exchange when its request begins.
Begin = Callable[[Head], Seen]
# Takes it when it is over.
Done = Callable[[Seen], None]


class Conversation:
    """The exchanges of one connection. Requests may follow one another before any is answered:
    answers come in their order (RFC 9112 §9.3.2)."""

    def __init__(self, begin: Begin, done: Done) -> None:
        self._begin = begin
        self._done = done
        self._asking: Seen | None = None
        self._unanswered: deque[Seen] = deque()
        self._answering: Seen | None = None
        self.connected: float | None = None
        self.answers = Framer(_Answers(self))

    # ------------------------------------------------------------------ what the program sends

    def request(self, head: Head) -> Framing:
        seen = self._begin(head)
        seen.connected = self.connected
        self._asking = seen
        self._unanswered.append(seen)
        return request_framing(head)

    def request_body(self, data: bytes) -> None:
        if self._asking is not None and data:
            self._asking.take(data)

    def request_over(self) -> None:
        if self._asking is not None:
            self._asking.sent = time.perf_counter()
            self._asking = None

    @property
    def waits(self) -> bool:
        """Whether a body is held back until the server asks for it."""
        asking = self._asking
        return asking is not None and asking.arrived.mentions(b"expect", b"100-continue")

    def reached(self) -> None:
        """The connection to the server stands."""
        self.connected = time.perf_counter()
        for seen in self._unanswered:
            seen.connected = self.connected

    # ------------------------------------------------------------------ what the server sends

    def response(self, head: Head) -> Framing:
        seen = self._unanswered[0] if self._unanswered else None
        framing = response_framing(head, "" if seen is None else seen.arrived.method)
        status = head.status
        if seen is None:
            return framing
        if status is not None and 100 <= status < 200 and status != 101:
            seen.informed += 1
            return framing
        self._unanswered.popleft()
        self._answering = seen
        seen.answer = head
        seen.answered = time.perf_counter()
        return framing

    def response_body(self, data: bytes) -> None:
        if self._answering is not None and data:
            self._answering.hear(data)

    def response_over(self) -> None:
        seen, self._answering = self._answering, None
        if seen is not None:
            self._close(seen, End.COMPLETE)

    @property
    def opaque(self) -> bool:
        """Whether the server's side is no HTTP any more, so that the program's is not either."""
        return self._answering is not None and self._answering.end is End.OPAQUE

    def became_opaque(self) -> None:
        """What is still open is told as far as it was understood."""
        seen = self._answering or (self._unanswered[0] if self._unanswered else None)
        if seen is not None and not seen.over:
            self._answering = seen
            self._close(seen, End.OPAQUE)

    # ------------------------------------------------------------------ the end

    def over(self, end: End, error: BaseException | None = None) -> None:
        """The connection has ended; whatever is open on it ends like that."""
        self.answers.close()
        waiting = [] if self._answering is None else [self._answering]
        for seen in (*waiting, *self._unanswered):
            if not seen.over:
                self._close(seen, end, error)
        self._answering = None
        self._unanswered.clear()

    def _close(self, seen: Seen, end: End, error: BaseException | None = None) -> None:
        seen.close(end, error)
        self._done(seen)


class _Answers:
    """Turns what the framer of the answers tells into exchanges. The bytes went on already."""

    def __init__(self, conversation: Conversation) -> None:
        self._of = conversation

    def head(self, raw: bytes) -> Framing:
        return self._of.response(Head.of(raw))

    def body(self, raw: bytes, data: bytes) -> None:
        self._of.response_body(data)

    def end(self) -> None:
        self._of.response_over()

    def opaque(self, raw: bytes) -> None:
        if raw.strip(b"\r\n"):
            self._of.became_opaque()
