"""A pair of asyncio streams, and passing bytes between two of them."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import struct
import sys
from dataclasses import dataclass

_CHUNK = 64 * 1024
_SLICE = 0.05
_WINDOWS = sys.platform == "win32"


@dataclass(frozen=True, slots=True)
class Channel:
    """One connection: what is read from it and written to it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def gone(self) -> bool:
        """Whether the other side has closed and nothing unread is left."""
        return self.writer.is_closing() or self.reader.at_eof()

    async def wait_gone(self) -> None:
        """Wait for the other side to close, discarding what it still sends."""
        while await self.reader.read(_CHUNK):
            pass

    async def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the other side stays."""
        whole, rest = divmod(max(seconds, 0.0), _SLICE)
        for nap in [*[_SLICE] * int(whole), rest]:
            if self.gone:
                return
            await asyncio.sleep(nap)

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        sock = self.writer.get_extra_info("socket")
        if sock is not None:
            with contextlib.suppress(OSError):
                linger = struct.pack("hh" if _WINDOWS else "ii", 1, 0)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()

    async def close(self) -> None:
        """Close, and wait shortly for what is still buffered."""
        self.writer.close()
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(self.writer.wait_closed(), 1.0)


async def connect(host: str, port: int) -> Channel:
    """Open a connection to a loopback address; anything else is refused before any packet."""
    require_loopback(host)
    return Channel(*await asyncio.open_connection(host, port))


def require_loopback(host: str) -> None:
    """Raise ValueError unless the host is this machine (DESIGN 6.7: loopback only)."""
    bare = host.strip("[]")
    if bare == "localhost":
        return
    try:
        inside = ipaddress.ip_address(bare).is_loopback
    except ValueError:
        inside = False
    if not inside:
        raise ValueError(f"not a loopback address: {host}")


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(_CHUNK):
        target.write(data)
        await target.drain()
    if target.can_write_eof():
        target.write_eof()


async def splice(near: Channel, far: Channel) -> None:
    """Pass bytes both ways unchanged until both sides have ended or one broke."""
    pumps = [
        asyncio.create_task(_pump(near.reader, far.writer)),
        asyncio.create_task(_pump(far.reader, near.writer)),
    ]
    try:
        await asyncio.gather(*pumps)
    except OSError:
        pass
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        far.writer.close()
