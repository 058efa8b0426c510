"""A port on loopback: what comes in is served, and closing it ends what is still served."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from .channel import Channel, require_loopback
from .wire import MAX_HEAD


@dataclass(eq=False)
class Listener:
    """``await open(host, port)`` gives the port, a free one for 0; ``await close()``.

    ``serve`` gets each connection, which is aborted once it returns or raises.
    """

    serve: Callable[[Channel], Awaitable[None]]
    _closing: bool = False
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def open(self, host: str, port: int, ssl_context: ssl.SSLContext | None = None) -> int:
        require_loopback(host)
        self._server = await asyncio.start_server(
            self._accept, host, port, ssl=ssl_context, limit=MAX_HEAD
        )
        opened: int = self._server.sockets[0].getsockname()[1]
        return opened

    async def close(self) -> None:
        self._closing = True
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            await self.serve(Channel(reader, writer))
        except asyncio.CancelledError:
            # asyncio's stream protocol logs a cancelled connection: end it quietly instead.
            if not self._closing:
                raise
        finally:
            writer.transport.abort()
