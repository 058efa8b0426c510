"""Handing a request on to another loopback server, unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from .channel import Channel, connect
from .messages import End, Headers, Response, StreamResponse, header_value
from .wire import BadRequest, read_head

# RFC 9110 7.6.1: meant for one connection only.
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "date",
    }
)


def end_to_end(headers: Headers) -> Headers:
    """The headers that go past one connection."""
    return tuple((name, value) for name, value in headers if name.lower() not in _HOP_BY_HOP)


def with_header(headers: Headers, name: str, value: str) -> Headers:
    """The headers with that one replaced or added."""
    rest = tuple(pair for pair in headers if pair[0].lower() != name.lower())
    return (*rest, (name, value))


def address(url: str) -> tuple[str, int]:
    """Host and port of an http URL or of ``host:port``."""
    parts = urlsplit(url if "://" in url else f"//{url}")
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


async def forward(
    to: tuple[str, int], method: str, target: str, headers: Headers, body: bytes
) -> Response | StreamResponse:
    """Ask the loopback server at ``to``; OSError where it cannot be reached or breaks off."""
    channel = await connect(*to)
    try:
        kept = [pair for pair in end_to_end(headers) if pair[0].lower() != "content-length"]
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in kept)]
        lines += [f"content-length: {len(body)}", "connection: close", "", ""]
        channel.writer.write("\r\n".join(lines).encode("latin-1", "replace") + body)
        await channel.writer.drain()
        head = await read_head(channel.reader)
    except BadRequest as error:
        await channel.close()
        raise ConnectionError("no HTTP answer") from error
    except OSError:
        await channel.close()
        raise
    if head is None:
        await channel.close()
        raise ConnectionError("no answer")
    first, answered = head
    status = int(first.split(" ")[1])
    passed = end_to_end(answered)
    if method == "HEAD" or status in (204, 304):
        await channel.close()
        return Response(status, b"", passed)
    length = header_value(answered, "content-length")
    if length is not None:
        try:
            whole = await channel.reader.readexactly(int(length))
        except asyncio.IncompleteReadError as error:
            return Response(status, error.partial, passed, cut_at=len(error.partial))
        finally:
            await channel.close()
        return Response(status, whole, passed)
    chunked = (header_value(answered, "transfer-encoding") or "").lower() == "chunked"
    return StreamResponse(_body(channel, chunked=chunked), status, passed, ends=End.CLEAN)


async def _body(channel: Channel, *, chunked: bool) -> AsyncIterator[bytes]:
    """A body of unknown length as it comes; ConnectionError where its chunks break off."""
    try:
        while chunked:
            line = await channel.reader.readline()
            if not line:
                raise ConnectionError("stream broke off")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                return
            try:
                data = await channel.reader.readexactly(size + 2)
            except asyncio.IncompleteReadError as error:
                raise ConnectionError("stream broke off") from error
            yield data[:-2]
        while data := await channel.reader.read(65536):
            yield data
    finally:
        await channel.close()
