"""A server whose every byte is the test's, and a tap in front of it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from doctor.context import Options
from doctor.probes.trust import Trust
from doctor.tap.listeners import Tap
from doctor.tap.origins import Origin
from doctor.tap.seen import Seen
from doctor.tap.upstream import Upstream

HOST = "127.0.0.1"
KEY = "sk-made0up0made0up0made0up0made0up0"
Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    """What it received on each connection, whether each was seen to end, and how."""

    port: int = 0
    received: list[bytearray] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def until(self, wanted: Callable[[Server], bool]) -> None:
        while not wanted(self):
            await self.changed.wait()


class Recording(asyncio.StreamReader):
    """Keeps all that came, read or not."""

    def __init__(self, server: Server) -> None:
        super().__init__(limit=2**20)
        self._server = server
        self._kept = bytearray()
        server.received.append(self._kept)

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]  # always bytes
        self._kept.extend(data)
        super().feed_data(data)
        self._server.note()

    def feed_eof(self) -> None:
        super().feed_eof()
        self._server.ended.append("closed")
        self._server.note()

    def set_exception(self, exc: BaseException) -> None:
        super().set_exception(exc)  # type: ignore[arg-type]
        self._server.ended.append("reset")
        self._server.note()


@contextlib.asynccontextmanager
async def serving(script: Script, context: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server that runs ``script`` on every connection."""
    server = Server()
    loop = asyncio.get_running_loop()

    def arrived() -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(Recording(server), script, loop=loop)

    made = await loop.create_server(arrived, HOST, 0, ssl=context, backlog=1024)
    server.port = made.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        made.close()


@dataclass
class Tapped:
    port: int
    seen: list[Seen]
    changed: asyncio.Event

    async def until(self, count: int) -> list[Seen]:
        while len(self.seen) < count:
            self.changed.clear()
            await self.changed.wait()
        return self.seen


@contextlib.asynccontextmanager
async def tapping(
    port: int, *, scheme: str = "http", proxy: str | None = None, bundle: str | None = None
) -> AsyncIterator[Tapped]:
    """A tap that leads to the loopback ``port``."""
    changed = asyncio.Event()
    seen: list[Seen] = []

    def done(one: Seen) -> None:
        seen.append(one)
        changed.set()

    host = "localhost" if scheme == "https" else HOST
    upstream = Upstream("test", Origin(scheme, host, port), Options(), proxy, Trust(bundle=bundle))
    async with Tap(done) as tap:
        yield Tapped(await tap.listen(upstream), seen, changed)


async def head_of(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


def answer(body: bytes, *fields: bytes) -> bytes:
    lines = [b"HTTP/1.1 200 OK", b"content-length: %d" % len(body), *fields, b"", b""]
    return b"\r\n".join(lines) + body


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset."""
    held = writer.get_extra_info("socket")
    held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
