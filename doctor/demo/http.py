"""A raw HTTP/1.1 server on loopback that can also do what no decent server does.

Keep-alive, chunked streams, silence, resets, answers that break off, absolute-form and
CONNECT targets: whatever an answer from ``messages`` says.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from .channel import Channel, splice
from .listening import Listener
from .messages import (
    Answer,
    Drop,
    End,
    Handler,
    Hang,
    Headers,
    Raw,
    Request,
    Response,
    StreamResponse,
    Tunnel,
    header_value,
    json_response,
)
from .wire import BadRequest, chunk_bytes, head_bytes, read_request

__all__ = [
    "Answer",
    "Drop",
    "End",
    "Exchange",
    "Handler",
    "Hang",
    "Headers",
    "LoopbackServer",
    "Raw",
    "Request",
    "Response",
    "StreamResponse",
    "Tunnel",
    "json_response",
]

# uvicorn's answer to what is no HTTP (seen: vLLM 0.32.0 asked with TLS on its plain port).
_NOT_HTTP = b"Invalid HTTP request received."


@dataclass(slots=True)
class Exchange:
    """A request with what became of its answer, on this side's monotonic clock."""

    request: Request
    status: int | None = None
    sent: int = 0
    first_byte_at: float | None = None
    ended_at: float | None = None
    client_left: bool = False


@dataclass(slots=True)
class _Connection:
    channel: Channel
    exchange: Exchange | None = None

    async def write(self, data: bytes) -> None:
        now = self.exchange
        if now is not None and data:
            if now.first_byte_at is None:
                now.first_byte_at = time.monotonic()
            now.sent += len(data)
        self.channel.writer.write(data)
        await self.channel.writer.drain()


@dataclass(eq=False)
class LoopbackServer:
    """``async with LoopbackServer(handler) as s``: then ``s.port``, ``s.origin``, ``s.requests``.

    ``host`` must be a loopback address (``::1`` for IPv6). A handler that raised answers 500;
    its error is kept in ``errors`` and raised when the block ends, for it is a defect here.
    """

    handler: Handler
    host: str = "127.0.0.1"
    port: int = 0
    ssl_context: ssl.SSLContext | None = field(default=None, repr=False)
    exchanges: list[Exchange] = field(default_factory=list, repr=False)
    errors: list[Exception] = field(default_factory=list, repr=False)
    connections: int = 0
    _listener: Listener = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._listener = Listener(self._serve)

    async def __aenter__(self) -> Self:
        self.port = await self._listener.open(self.host, self.port, self.ssl_context)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._listener.close()
        if self.errors and error is None:
            raise self.errors[0]

    @property
    def scheme(self) -> str:
        return "https" if self.ssl_context else "http"

    @property
    def netloc(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    @property
    def requests(self) -> list[Request]:
        return [exchange.request for exchange in self.exchanges]

    async def _serve(self, channel: Channel) -> None:
        self.connections += 1
        connection = _Connection(channel)
        try:
            while await self._exchange(connection):
                pass
            await channel.close()
        except (OSError, asyncio.IncompleteReadError):
            # The client left, or what stands behind broke off: no news either way.
            if connection.exchange is not None:
                connection.exchange.client_left = channel.gone

    async def _exchange(self, connection: _Connection) -> bool:
        """Answer one request; say whether the connection lives on."""
        connection.exchange = None
        channel = connection.channel
        try:
            request = await read_request(channel.reader, channel.writer)
        except BadRequest:
            await connection.write(_plain(400, _NOT_HTTP))
            return False
        if request is None:
            return False
        exchange = connection.exchange = Exchange(request)
        self.exchanges.append(exchange)
        try:
            answer = await self.handler(request)
        except Exception as error:
            self.errors.append(error)
            answer = Response(500, b"Internal Server Error", close=True)
        try:
            return await _send(connection, request, answer)
        finally:
            exchange.ended_at = time.monotonic()
            exchange.client_left = exchange.client_left or (
                channel.gone and isinstance(answer, StreamResponse | Hang)
            )


def _plain(status: int, body: bytes) -> bytes:
    kind = ("content-type", "text/plain; charset=utf-8")
    head = (kind, ("content-length", str(len(body))), ("connection", "close"))
    return head_bytes(status, head) + body


def _lives_on(request: Request) -> bool:
    wish = (request.header("connection") or "").lower()
    return wish != "close" if request.version == "HTTP/1.1" else wish == "keep-alive"


async def _send(connection: _Connection, request: Request, answer: Answer) -> bool:
    channel = connection.channel
    match answer:
        case Response():
            return await _send_whole(connection, request, answer)
        case StreamResponse():
            return await _send_stream(connection, request, answer)
        case Hang(head):
            await connection.write(head)
            await channel.wait_gone()
        case Drop(reset):
            if reset:
                channel.reset()
        case Raw(data):
            await connection.write(data)
        case Tunnel(far, reason):
            channel.writer.write(f"HTTP/1.1 200 {reason}\r\n\r\n".encode("latin-1"))
            await splice(channel, far)
    return False


async def _send_whole(connection: _Connection, request: Request, answer: Response) -> bool:
    if connection.exchange is not None:
        connection.exchange.status = answer.status
    stay = _lives_on(request) and not answer.close and answer.cut_at is None
    headers = answer.headers
    bodiless = answer.status < 200 or answer.status in (204, 304)
    if answer.chunked:
        headers += (("transfer-encoding", "chunked"),)
    elif header_value(headers, "content-length") is None and not bodiless:
        headers += (("content-length", str(len(answer.body))),)
    if not stay and header_value(headers, "connection") is None:
        headers += (("connection", "close"),)
    await connection.channel.pause(answer.delay)
    head = head_bytes(answer.status, headers, answer.reason)
    body = answer.body[: answer.cut_at]
    if answer.chunked:
        body = (chunk_bytes(body) if body else b"") + (b"" if answer.cut_at else b"0\r\n\r\n")
    if request.method == "HEAD" or bodiless:
        body = b""
    await connection.write(head + body)
    return stay


async def _send_stream(connection: _Connection, request: Request, answer: StreamResponse) -> bool:
    channel = connection.channel
    if connection.exchange is not None:
        connection.exchange.status = answer.status
    stay = _lives_on(request) and answer.ends is End.CLEAN
    headers = (*answer.headers, ("transfer-encoding", "chunked"))
    if not stay:
        headers += (("connection", "close"),)
    await channel.pause(answer.delay)
    await connection.write(head_bytes(answer.status, headers, answer.reason))
    async with contextlib.AsyncExitStack() as stack:
        close = getattr(answer.chunks, "aclose", None)
        if close is not None:
            stack.push_async_callback(close)
        async for data in answer.chunks:
            if data:
                await connection.write(chunk_bytes(data))
            if channel.gone:
                return False
    match answer.ends:
        case End.CLEAN:
            await connection.write(b"0\r\n\r\n")
        case End.RESET:
            channel.reset()
        case End.STALL:
            await channel.wait_gone()
        case End.CUT:
            pass
    return stay
