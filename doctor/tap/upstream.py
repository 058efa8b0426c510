"""The server behind a listener: how it is reached, and what a request to it must say."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Callable
from dataclasses import field
from urllib.parse import unquote, urlsplit

from doctor.context import Options
from doctor.facts.store import Unavailable
from doctor.probes.dialling import dial, proxy_address
from doctor.probes.trust import Trust, build_context
from doctor.probes.tunnel import open_way
from doctor.records import dataclass
from doctor.tap.heads import Field, readdressed
from doctor.tap.origins import Origin
from doctor.text import _
from doctor.untrusted import visible


@dataclass(frozen=True, slots=True)
class Upstream:
    """``id`` is short ("claude-code"). ``proxy`` is the URL of the program's own proxy, None for
    the direct way; ``refusal`` is the reason why there is no way at all."""

    id: str
    origin: Origin
    options: Options
    proxy: str | None = field(default=None, repr=False)
    trust: Trust = field(default_factory=Trust)
    refusal: str = ""

    @property
    def forwarded(self) -> bool:
        """Whether a proxy takes the request itself, as it does for a server without TLS."""
        return self.proxy is not None and self.origin.scheme == "http"

    def head(self, raw: bytes) -> bytes:
        """A request's head as the server, or the proxy before it, has to get it."""
        host = self.origin.netloc.encode("ascii")
        if not self.forwarded:
            return readdressed(raw, host)
        return readdressed(raw, host, self._absolute, _login(self.proxy or ""))

    def _absolute(self, target: bytes) -> bytes:
        return self.origin.url.encode() + target if target.startswith(b"/") else target


class Dialler:
    """Opens connections to one upstream; its TLS context is built once."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._context: ssl.SSLContext | None = None
        self._building = asyncio.Lock()

    async def connect(self, protocol: asyncio.Protocol) -> object:
        """Connect ``protocol``. What is returned has to be held for as long as the connection.

        Raises ``OSError`` (``ssl.SSLError`` among them) and ``Unavailable``.
        """
        up = self._upstream
        if up.refusal:
            raise Unavailable(up.refusal)
        origin = up.origin
        context = await self._tls() if origin.scheme == "https" else None
        if up.forwarded:
            return await self._to_proxy(protocol)
        if up.proxy is not None:
            return await self._through(protocol, up.proxy, context)
        host, port = dial(up.options, origin.host, origin.port)
        name = origin.host if context is not None else None
        return await _connected(lambda: protocol, host, port, context, name)

    async def _to_proxy(self, protocol: asyncio.Protocol) -> asyncio.Transport:
        proxy = self._upstream.proxy or ""
        scheme = proxy.partition("://")[0].lower()
        if scheme != "http":
            raise Unavailable(_("a {scheme} proxy is not spoken here", scheme=visible(scheme, 20)))
        try:
            host, port = proxy_address(proxy)
        except ValueError as error:
            raise Unavailable(str(error)) from None
        host, port = dial(self._upstream.options, host, port)
        return await _connected(lambda: protocol, host, port, None, None)

    async def _through(
        self, protocol: asyncio.Protocol, proxy: str, context: ssl.SSLContext | None
    ) -> object:
        """A tunnel, and TLS in it. Its writer would close the connection when it is collected."""
        assert context is not None, "only what is encrypted goes through a tunnel"
        origin = self._upstream.origin
        writer = await open_way(self._upstream.options, origin.host, origin.port, proxy)
        loop = asyncio.get_running_loop()
        try:
            made = await loop.start_tls(
                writer.transport, protocol, context, server_hostname=origin.host
            )
        except BaseException:
            writer.transport.abort()
            raise
        assert made is not None, "the transport of a finished handshake"
        protocol.connection_made(made)
        return writer

    async def _tls(self) -> ssl.SSLContext:
        async with self._building:
            if self._context is None:
                context = await asyncio.to_thread(build_context, self._upstream.trust)
                # What the program speaks to the listener is what goes on.
                context.set_alpn_protocols(["http/1.1"])
                self._context = context
        return self._context


async def _connected(
    protocol: Callable[[], asyncio.Protocol],
    host: str,
    port: int,
    context: ssl.SSLContext | None,
    name: str | None,
) -> asyncio.Transport:
    loop = asyncio.get_running_loop()
    made, _protocol = await loop.create_connection(
        protocol, host, port, ssl=context, server_hostname=name, happy_eyeballs_delay=0.25
    )
    return made


def _login(proxy: str) -> tuple[Field, ...]:
    """What the user's proxy wants to know of them, where its URL says it."""
    parts = urlsplit(proxy)
    if parts.username is None:
        return ()
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return ((b"Proxy-Authorization", b"Basic " + base64.b64encode(pair.encode())),)
