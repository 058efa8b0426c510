"""A bare connection to the endpoint, through the client's proxy where it has one."""

from __future__ import annotations

import asyncio
import base64
from urllib.parse import unquote, urlsplit

from doctor.context import Options
from doctor.facts.store import Unavailable
from doctor.probes.dialling import dial, proxy_address
from doctor.text import _
from doctor.untrusted import visible

_MAX_HEAD = 16 * 1024


async def open_way(
    options: Options, host: str, port: int, proxy: str | None
) -> asyncio.StreamWriter:
    """A connection over which TLS with ``host`` may begin.

    Raises ``OSError`` where the connection fails, and ``Unavailable`` where the proxy does not
    open a tunnel or is of a kind that is not spoken here.
    """
    if proxy is None:
        _reader, writer = await asyncio.open_connection(*dial(options, host, port))
        return writer
    if not proxy.lower().startswith("http://"):
        raise Unavailable(_("through this kind of proxy only the request itself is tried"))
    try:
        near = dial(options, *proxy_address(proxy))
    except ValueError as error:
        raise Unavailable(str(error)) from None
    reader, writer = await asyncio.open_connection(*near, limit=_MAX_HEAD)
    try:
        await _open_tunnel(reader, writer, host, port, proxy)
    except BaseException:
        writer.transport.abort()
        raise
    return writer


async def _open_tunnel(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int, proxy: str
) -> None:
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}", *_credential(proxy)]
    writer.write("\r\n".join([*lines, "", ""]).encode("ascii", "ignore"))
    await writer.drain()
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise Unavailable(_("the proxy opens no tunnel")) from None
    status = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 1)[-1]
    if not status.startswith("2"):
        raise Unavailable(_("the proxy answers {status}", status=visible(status, 100)))


def _credential(proxy: str) -> list[str]:
    parts = urlsplit(proxy)
    if parts.username is None:
        return []
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return [f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}"]
