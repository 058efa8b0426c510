"""Moves the bytes between a program and a server; both ends see what they would see directly.

Each connection of the program has one of its own to the server, so keep-alive, pipelining and
``100 Continue`` need nothing. Whoever reads slowly slows the other down. An end of one side is told
to the other as what it was: a half that was closed, a whole, or a reset.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Callable

from doctor.facts.store import Unavailable
from doctor.tap.framing import Framer, Framing
from doctor.tap.heads import Head
from doctor.tap.seen import End
from doctor.tap.upstream import Dialler, Upstream
from doctor.tap.watching import Begin, Conversation, Done

# What may wait for the server's connection to stand.
_WAITING = 256 * 1024
_LINGER_NOT = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)


class _Side(asyncio.Protocol):
    """One of the two connections, as the other one uses it."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "TCP"
        self.transport = transport

    def close_half(self, *, whole: bool) -> None:
        """Nothing more comes from the other side. ``whole``: nor does it want anything.

        Half of a TLS connection cannot be closed: whoever leaves it leaves it as a whole.
        """
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        if whole or not transport.can_write_eof():
            transport.close()
        else:
            with contextlib.suppress(OSError):
                transport.write_eof()

    def leave(self, *, reset: bool) -> None:
        if reset:
            self.reset()
        elif self.transport is not None:
            self.transport.close()

    def reset(self) -> None:
        """End the connection so that its other end sees a reset, as it would without the relay."""
        transport = self.transport
        if transport is None:
            return
        held = transport.get_extra_info("socket")
        if held is not None and not transport.is_closing():
            with contextlib.suppress(OSError):
                held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        transport.abort()

    def pause(self) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.pause_reading()

    def resume(self) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.resume_reading()


class Connection(_Side):
    """The program's side. ``left`` is called when it is over."""

    def __init__(
        self,
        upstream: Upstream,
        dialler: Dialler,
        begin: Begin,
        done: Done,
        left: Callable[[Connection], None],
    ) -> None:
        super().__init__()
        self._upstream = upstream
        self._dialler = dialler
        self._left = left
        self.talk = Conversation(begin, done)
        self._framer = Framer(self)
        self._out: list[bytes] = []
        self._held = 0
        self.ended = False  # it has closed its half, or all of it
        self._gone = False
        self._failure: BaseException | None = None
        self._dial: asyncio.Task[None] | None = None
        self._server = _Server(self)
        self._way: object = None

    # ------------------------------------------------------------------ what comes

    def data_received(self, data: bytes) -> None:
        self._framer.feed(data)
        if self._dial is None:
            self._dial = asyncio.get_running_loop().create_task(self._reach())
        if self._failure is not None:
            self._out.clear()
            self._fail_when_told()
            return
        self._flush()

    def eof_received(self) -> bool:
        self.ended = True
        self._framer.close()
        self._flush()
        if self._server.transport is None:
            return False  # it said nothing, or gave up before the server was reached
        self._server.close_half(whole=self._server.ended)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone = True
        if self._dial is not None and not self._dial.done():
            self._dial.cancel()
        if self._failure is not None:
            self.talk.over(End.UNREACHED, self._failure)
        self.talk.over(End.CLIENT_LEFT, exc)
        self._server.leave(reset=exc is not None)
        self._left(self)

    def pause_writing(self) -> None:
        self._server.pause()

    def resume_writing(self) -> None:
        self._server.resume()

    # ------------------------------------------------------------------ the parts of a request

    def head(self, raw: bytes) -> Framing:
        self._out.append(self._upstream.head(raw))
        return self.talk.request(Head.of(raw))

    def body(self, raw: bytes, data: bytes) -> None:
        self._out.append(raw)
        self.talk.request_body(data)

    def end(self) -> None:
        self.talk.request_over()

    def opaque(self, raw: bytes) -> None:
        self._out.append(raw)

    def give_up_reading(self) -> None:
        """What the program says from now on is no HTTP."""
        self._framer.give_up()
        self._flush()

    # ------------------------------------------------------------------ to the server

    def _flush(self) -> None:
        server = self._server.transport
        if server is None:
            self._held = sum(map(len, self._out))
            if self._held > _WAITING:
                self.pause()
            return
        if self._out:
            data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
            self._out.clear()
            server.write(data)

    async def _reach(self) -> None:
        try:
            self._way = await self._dialler.connect(self._server)
        except (OSError, Unavailable, ValueError, UnicodeError) as error:
            self._failure = error
            self._out.clear()
            self.resume()
            self._fail_when_told()
            return
        if self._gone:
            self._server.leave(reset=False)
            return
        self.talk.reached()
        self._flush()
        if self._held > _WAITING and not self._server.full:
            self.resume()

    def _fail_when_told(self) -> None:
        """The server is not there. A request is worth knowing as a whole, so it may end first; one
        that waits for a word of the server's does not."""
        if self._framer.between or self.talk.waits:
            self.talk.over(End.UNREACHED, self._failure)
            self.reset()

    # ------------------------------------------------------------------ to the program

    def write(self, data: bytes) -> None:
        assert self.transport is not None, "nothing comes before the connection is there"
        self.transport.write(data)


class _Server(_Side):
    """The server's side."""

    def __init__(self, program: Connection) -> None:
        super().__init__()
        self._program = program
        self.ended = False
        self.full = False

    def data_received(self, data: bytes) -> None:
        program = self._program
        program.write(data)
        talk = program.talk
        talk.answers.feed(data)
        if talk.opaque:
            program.give_up_reading()

    def eof_received(self) -> bool:
        self.ended = True
        program = self._program
        program.talk.over(End.CLIENT_LEFT if program.ended else End.CUT)
        program.close_half(whole=program.ended)
        # Where the program has ended its half as well, this was the last of it.
        return not program.ended

    def connection_lost(self, exc: Exception | None) -> None:
        end = End.RESET if exc is not None else End.CUT
        self._program.talk.over(End.CLIENT_LEFT if self._program.ended else end, exc)
        self._program.leave(reset=exc is not None)

    def pause_writing(self) -> None:
        self.full = True
        self._program.pause()

    def resume_writing(self) -> None:
        self.full = False
        self._program.resume()
