"""Where messages begin and end in the bytes of one direction of an HTTP/1 connection (RFC 9112 §6).

Only the frames are found: nothing is normalised or refused, since the bytes go on as they are. What
makes no sense ends the reading, not the connection: from there on all is passed on unread.
"""

from __future__ import annotations

import enum
from typing import Protocol

from doctor.records import dataclass
from doctor.tap.heads import Head

_LONGEST_HEAD = 1024 * 1024
_LONGEST_LINE = 16 * 1024
# How a client begins that speaks HTTP/2 without having asked.
_HTTP2 = b"PRI * HTTP/2.0"


class Frame(enum.Enum):
    """How a body ends."""

    NONE = enum.auto()
    LENGTH = enum.auto()
    CHUNKED = enum.auto()
    CLOSE = enum.auto()
    OPAQUE = enum.auto()  # no HTTP any more


@dataclass(frozen=True, slots=True)
class Framing:
    frame: Frame
    length: int = 0


NONE = Framing(Frame.NONE)
OPAQUE = Framing(Frame.OPAQUE)


def request_framing(head: Head) -> Framing:
    """How the body of a request ends."""
    if head.start.startswith(_HTTP2):
        return OPAQUE
    if head.mentions(b"transfer-encoding", b"chunked"):
        return Framing(Frame.CHUNKED)
    return _by_length(head) or NONE


def response_framing(head: Head, method: str) -> Framing:
    """How the body of the answer to a ``method`` request ends."""
    status = head.status
    if status is None:
        return OPAQUE
    if status == 101 or (method == "CONNECT" and 200 <= status < 300):
        return OPAQUE
    if status < 200 or status in (204, 304) or method == "HEAD":
        return NONE
    if head.mentions(b"transfer-encoding", b"chunked"):
        return Framing(Frame.CHUNKED)
    return _by_length(head) or Framing(Frame.CLOSE)


def _by_length(head: Head) -> Framing | None:
    value = head.first(b"content-length")
    if value is None:
        return None
    digits = value.split(b",")[0].strip()
    if not digits.isdigit() or len(digits) > 18:
        return OPAQUE
    return Framing(Frame.LENGTH, int(digits)) if int(digits) else NONE


class Parts(Protocol):
    """What a framer tells, in the order of the bytes. Each ``raw`` is to be passed on."""

    def head(self, raw: bytes) -> Framing:
        """A head is complete; the value says how its body ends."""
        ...

    def body(self, raw: bytes, data: bytes) -> None:
        """A piece of a body: ``data`` is what ``raw`` carries, less the frames of chunks."""
        ...

    def end(self) -> None:
        """The message is over."""
        ...

    def opaque(self, raw: bytes) -> None:
        """Bytes that belong to no message, or can no longer be read as one."""
        ...


class _Step(enum.Enum):
    HEAD = enum.auto()
    LENGTH = enum.auto()
    SIZE = enum.auto()  # of a chunk
    CHUNK = enum.auto()
    AFTER_CHUNK = enum.auto()
    TRAILER = enum.auto()
    CLOSE = enum.auto()
    OPAQUE = enum.auto()


class Framer:
    """``feed`` bytes as they come, then ``close``. Never raises for what is in them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._step = _Step.HEAD
        self._held = b""  # of a head that is not complete, or of a line
        self._left = 0

    @property
    def between(self) -> bool:
        """Whether no message has begun that is not over."""
        return self._step is _Step.HEAD and not self._held

    def give_up(self) -> None:
        """Pass on all that follows unread."""
        untold = self._held if self._step is _Step.HEAD else b""
        self._step, self._held = _Step.OPAQUE, b""
        if untold:
            self._parts.opaque(untold)

    def feed(self, data: bytes) -> None:
        while data:
            if self._step is _Step.HEAD:
                data = self._head(data)
            elif self._step is _Step.LENGTH:
                data = self._length(data)
            elif self._step is _Step.CLOSE:
                self._parts.body(data, data)
                return
            elif self._step is _Step.OPAQUE:
                self._parts.opaque(data)
                return
            else:
                data = self._chunked(data)

    def close(self) -> None:
        """The other end sends nothing more."""
        if self._step is _Step.CLOSE:
            self._step = _Step.HEAD
            self._parts.end()
        untold = self._held if self._step is _Step.HEAD else b""
        self._held = b""
        if untold:
            self._parts.opaque(untold)

    # ------------------------------------------------------------------ heads

    def _head(self, data: bytes) -> bytes:
        if not self._held:
            stray = len(data) - len(data.lstrip(b"\r\n"))
            if stray:  # blank lines before a message, which servers pass over
                self._parts.opaque(data[:stray])
                data = data[stray:]
                if not data:
                    return b""
        searched = max(len(self._held) - 3, 0)
        whole = self._held + data if self._held else data
        ends = [at + n for mark, n in _ENDS if (at := whole.find(mark, searched)) >= 0]
        if not ends:
            self._held = whole
            if len(whole) > _LONGEST_HEAD:
                self.give_up()
            return b""
        end = min(ends)
        self._held = b""
        self._begin(self._parts.head(whole[:end]))
        return whole[end:]

    def _begin(self, framing: Framing) -> None:
        self._step = _FIRST[framing.frame]
        self._left = framing.length
        if framing.frame is Frame.NONE:
            self._parts.end()

    # ------------------------------------------------------------------ bodies

    def _length(self, data: bytes) -> bytes:
        piece = data[: self._left]
        self._left -= len(piece)
        self._parts.body(piece, piece)
        if not self._left:
            self._over()
        return data[len(piece) :]

    def _over(self) -> None:
        self._step = _Step.HEAD
        self._parts.end()

    def _chunked(self, data: bytes) -> bytes:
        """Reads as many chunks as there are; tells them as one piece."""
        at, carried = 0, list[bytes]()
        over = broken = False
        while at < len(data) and not over and not broken:
            if self._step is _Step.CHUNK:
                piece = data[at : at + self._left]
                carried.append(piece)
                at += len(piece)
                self._left -= len(piece)
                if not self._left:
                    self._step = _Step.AFTER_CHUNK
                continue
            newline = data.find(b"\n", at)
            stop = len(data) if newline < 0 else newline + 1
            self._held += data[at:stop]
            at = stop
            if newline < 0:
                broken = len(self._held) > _LONGEST_LINE
                continue
            line, self._held = self._held.strip(b"\r\n \t"), b""
            over, broken = self._line(line)
        if at:
            self._parts.body(data[:at], b"".join(carried))
        if over:
            self._over()
        elif broken:
            # The bytes held here were told already, as a part of the body.
            self._held = b""
            self._step = _Step.OPAQUE
        return data[at:]

    def _line(self, line: bytes) -> tuple[bool, bool]:
        """A line between chunks: whether the message is over, whether it makes no sense."""
        if self._step is _Step.AFTER_CHUNK:
            self._step = _Step.SIZE
            return False, bool(line)
        if self._step is _Step.TRAILER:
            return not line, False
        digits = line.split(b";")[0].strip()
        if not digits or len(digits) > 15 or digits.strip(_HEX):
            return False, True
        self._left = int(digits, 16)
        self._step = _Step.CHUNK if self._left else _Step.TRAILER
        return False, False


_ENDS = ((b"\n\r\n", 3), (b"\n\n", 2))
_HEX = b"0123456789abcdefABCDEF"
_FIRST = {
    Frame.NONE: _Step.HEAD,
    Frame.LENGTH: _Step.LENGTH,
    Frame.CHUNKED: _Step.SIZE,
    Frame.CLOSE: _Step.CLOSE,
    Frame.OPAQUE: _Step.OPAQUE,
}
