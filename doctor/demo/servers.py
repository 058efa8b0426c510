"""The servers of one scenario: opened one after another, closed together."""

from __future__ import annotations

import contextlib
import socket

from .http import LoopbackServer
from .messages import Handler

HOST = "127.0.0.1"


class Servers:
    """Belongs to an ``AsyncExitStack``, which ends everything that was opened here."""

    def __init__(self, stack: contextlib.AsyncExitStack) -> None:
        self._stack = stack
        self.opened: list[LoopbackServer] = []

    async def open(self, handler: Handler) -> LoopbackServer:
        """A server on a free port of loopback that answers with ``handler``."""
        server = await self._stack.enter_async_context(LoopbackServer(handler, HOST))
        self.opened.append(server)
        return server

    def silent_port(self) -> int:
        """A port that refuses connections, and that nobody else can take meanwhile."""
        held = self._stack.enter_context(socket.socket())
        held.bind((HOST, 0))
        port: int = held.getsockname()[1]
        return port
