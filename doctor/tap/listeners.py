"""The listeners of a tap: one on a free loopback port for each origin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

from doctor.tap.heads import Head
from doctor.tap.origins import LOOPBACK
from doctor.tap.relay import Connection
from doctor.tap.seen import End, Seen
from doctor.tap.upstream import Dialler, Upstream

_BACKLOG = 1024


class Tap:
    """Passes through what comes, and hands every exchange to ``done`` when it is over.

    Use as an asynchronous context manager; ``listen`` within it. At the end whatever is still open
    is handed over as it is.
    """

    def __init__(self, done: Callable[[Seen], None]) -> None:
        self._done = done
        self._servers: list[asyncio.Server] = []
        self._connections: set[Connection] = set()
        self._count = 0

    async def __aenter__(self) -> Tap:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for server in self._servers:
            server.close()
        for connection in list(self._connections):
            connection.talk.over(End.OPEN)
            connection.leave(reset=False)
        # Their ends are told in the next turn of the loop.
        await asyncio.sleep(0)

    async def listen(self, upstream: Upstream) -> int:
        """Open a listener that leads to ``upstream``; the value is its port."""
        dialler = Dialler(upstream)

        def begin(head: Head) -> Seen:
            self._count += 1
            return Seen(self._count, upstream.id, head)

        def arrived() -> Connection:
            made = Connection(upstream, dialler, begin, self._done, self._connections.discard)
            self._connections.add(made)
            return made

        loop = asyncio.get_running_loop()
        server = await loop.create_server(arrived, LOOPBACK, 0, backlog=_BACKLOG)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port
