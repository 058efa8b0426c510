"""The servers of one scenario: opened one after another, closed together."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence

from .http import LoopbackServer
from .messages import Handler

HOST = "127.0.0.1"


class Servers:
    """Belongs to an ``AsyncExitStack``, which ends everything that was opened here.

    ``ports`` are those that an earlier one took, in its order, so that what was written about
    them then is true again; free ones otherwise. A port that is taken raises ``OSError``.
    """

    def __init__(self, stack: contextlib.AsyncExitStack, ports: Sequence[int] = ()) -> None:
        self._stack = stack
        self._wanted = iter(ports)
        self.opened: list[LoopbackServer] = []
        self.ports: list[int] = []

    async def open(self, handler: Handler) -> LoopbackServer:
        """A server on a port of loopback that answers with ``handler``."""
        made = LoopbackServer(handler, HOST, next(self._wanted, 0))
        server = await self._stack.enter_async_context(made)
        self.opened.append(server)
        self.ports.append(server.port)
        return server

    def silent_port(self) -> int:
        """A port that refuses connections, and that nobody else can take meanwhile."""
        held = self._stack.enter_context(socket.socket())
        held.bind((HOST, next(self._wanted, 0)))
        port: int = held.getsockname()[1]
        self.ports.append(port)
        return port
