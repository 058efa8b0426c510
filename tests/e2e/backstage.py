"""Loopback servers in a thread of their own, beside a command that runs as it does for a user."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from types import TracebackType
from typing import Self

from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Handler

_LIMIT_S = 20.0


class Backstage:
    """``with Backstage() as stage: server = stage.open(handler)``; all closed at the end."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._stack = contextlib.AsyncExitStack()
        self.servers: list[LoopbackServer] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._stack.aclose(), self._loop).result(_LIMIT_S)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_LIMIT_S)
            self._loop.close()

    def open(
        self,
        handler: Handler,
        host: str = "127.0.0.1",
        ssl_context: ssl.SSLContext | None = None,
    ) -> LoopbackServer:
        """A server on a free port that answers with ``handler``."""
        server = LoopbackServer(handler, host, ssl_context=ssl_context)
        entering = self._stack.enter_async_context(server)
        asyncio.run_coroutine_threadsafe(entering, self._loop).result(_LIMIT_S)
        self.servers.append(server)
        return server

    def silent_port(self) -> int:
        """A port of 127.0.0.1 that refuses connections, and that nobody else can take."""
        held = socket.socket()
        self._stack.callback(held.close)
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def has_ipv6() -> bool:
    """Whether this machine has the loopback address ::1."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
