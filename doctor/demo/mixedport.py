"""A TLS port that, like nginx's, answers plain HTTP with a page instead of silence."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from . import pages
from .channel import Channel, connect, splice
from .http import LoopbackServer
from .messages import Response
from .wire import head_bytes

_TLS_HANDSHAKE = b"\x16"


@dataclass(eq=False)
class MixedPort:
    """Stands before a TLS server: TLS goes through, plain HTTP gets ``plain``.

    So a base URL with the wrong scheme is refused as in the field, and the right one on the
    same port works. ``async with server, MixedPort(server) as front: front.port``.
    """

    secure: LoopbackServer
    plain: Response = field(default_factory=pages.plain_to_https)
    port: int = 0
    _closing: bool = False
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self.secure.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        near = Channel(reader, writer)
        try:
            with contextlib.suppress(OSError):
                first = await reader.read(4096)
                if first.startswith(_TLS_HANDSHAKE):
                    far = await connect(self.secure.host, self.secure.port)
                    far.writer.write(first)
                    await splice(near, far)
                elif first:
                    length = (("content-length", str(len(self.plain.body))),)
                    head = head_bytes(self.plain.status, self.plain.headers + length)
                    writer.write(head + self.plain.body)
                await near.close()
        except asyncio.CancelledError:
            if not self._closing:
                raise
        finally:
            writer.transport.abort()
