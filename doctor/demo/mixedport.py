"""A TLS port that, like nginx's, answers plain HTTP with a page instead of silence."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from . import pages
from .channel import Channel, connect, splice
from .http import LoopbackServer
from .listening import Listener
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
    _listener: Listener = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._listener = Listener(self._serve)

    async def __aenter__(self) -> Self:
        self.port = await self._listener.open(self.secure.host, self.port)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._listener.close()

    async def _serve(self, near: Channel) -> None:
        with contextlib.suppress(OSError):
            first = await near.reader.read(4096)
            if first.startswith(_TLS_HANDSHAKE):
                far = await connect(self.secure.host, self.secure.port)
                far.writer.write(first)
                await splice(near, far)
            elif first:
                length = (("content-length", str(len(self.plain.body))),)
                head = head_bytes(self.plain.status, self.plain.headers + length)
                near.writer.write(head + self.plain.body)
            await near.close()
