"""HTTP/1.1 on the wire: reading a request, writing a head."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate
from http import HTTPStatus

from .messages import Headers, Request, header_value

MAX_BODY = 64 * 1024 * 1024
MAX_HEAD = 256 * 1024


class BadRequest(Exception):
    """What came in is no HTTP request (a TLS hello, for one)."""


async def read_head(reader: asyncio.StreamReader) -> tuple[str, Headers] | None:
    """The first line and the headers; None where the peer closed before sending any."""
    start = b"\r"
    while start in (b"\r", b"\n"):
        start = await reader.read(1)
    if not start:
        return None
    if not start.isalpha():
        raise BadRequest("no HTTP")
    try:
        block = start + await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        raise BadRequest("head incomplete") from error
    except asyncio.LimitOverrunError as error:
        raise BadRequest("head too long") from error
    # Latin-1 maps every byte to one character: nothing that was sent is lost.
    first, *lines = block.decode("latin-1").split("\r\n")
    headers: list[tuple[str, str]] = []
    for line in lines:
        if not line:
            break
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequest("header malformed")
        headers.append((name, value.strip(" \t")))
    return first, tuple(headers)


async def read_chunked(reader: asyncio.StreamReader) -> bytes:
    """A chunked body, decoded; raises BadRequest where its framing is broken."""
    parts: list[bytes] = []
    total = 0
    while True:
        line = await reader.readline()
        try:
            size = int(line.split(b";")[0], 16)
        except ValueError as error:
            raise BadRequest("chunk size malformed") from error
        if size == 0:
            break
        total += size
        if total > MAX_BODY:
            raise BadRequest("body too large")
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    while (await reader.readline()).strip():
        pass
    return b"".join(parts)


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Request | None:
    """The next request of a connection, or None where the client closed it."""
    head = await read_head(reader)
    if head is None:
        return None
    first, headers = head
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise BadRequest("request line malformed")
    received = time.monotonic()
    if (header_value(headers, "expect") or "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    if (header_value(headers, "transfer-encoding") or "").lower() == "chunked":
        body = await read_chunked(reader)
    else:
        length = header_value(headers, "content-length") or "0"
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise BadRequest("content-length malformed")
        body = await reader.readexactly(int(length))
    secure = writer.get_extra_info("ssl_object") is not None
    return Request(words[0], words[1], headers, body, words[2], secure, received)


def head_bytes(status: int, headers: Headers, reason: str | None = None) -> bytes:
    """A status line and headers, with the Date that every server adds."""
    if reason is None:
        try:
            reason = HTTPStatus(status).phrase
        except ValueError:
            reason = ""
    lines = [f"HTTP/1.1 {status} {reason}", f"date: {formatdate(usegmt=True)}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def chunk_bytes(data: bytes) -> bytes:
    """One HTTP chunk."""
    return b"%x\r\n%b\r\n" % (len(data), data)
