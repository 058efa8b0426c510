"""How far a request got, as the HTTP library tells while it works."""

from __future__ import annotations

import time
from typing import Any


class Phases:
    """Listens to httpcore's trace events, whose names end in started, complete or failed.

    Through an HTTP proxy ``connection.start_tls`` is TLS to the proxy itself and
    ``proxy.start_tls`` TLS to the target inside the tunnel; the CONNECT that opens the tunnel is
    a request of its own.
    """

    def __init__(self, *, proxied: bool, tunnelled: bool) -> None:
        self._proxied = proxied
        self._tunnelled = tunnelled
        self.dialling = False
        self.connected = False
        self.dial_failed = False
        self.tls_started = False
        self.secured = False
        self.proxy_tls_failed = False
        self.sent = 0
        self.headers_at: float | None = None

    async def __call__(self, name: str, info: dict[str, Any]) -> None:
        source, _, event = name.partition(".")
        match event:
            case "connect_tcp.started":
                self.dialling = True
            case "connect_tcp.complete":
                self.connected = True
            case "connect_tcp.failed":
                self.dial_failed = True
            case "start_tls.failed" if self._proxied and source == "connection":
                self.proxy_tls_failed = True
            case "start_tls.started" if self._is_targets(source):
                self.tls_started = True
            case "start_tls.complete" if self._is_targets(source):
                self.secured = True
            case "send_request_headers.complete" if self.secured or not self._tunnelled:
                self.sent += 1
            case "receive_response_headers.complete":
                self.headers_at = time.perf_counter()

    def _is_targets(self, source: str) -> bool:
        return not self._proxied or source != "connection"

    @property
    def on_the_way(self) -> bool:
        """Whether there is no connection to the first machine yet."""
        return self.dialling and not self.connected

    @property
    def handshaking(self) -> bool:
        """Whether TLS with the target has begun and not ended."""
        return self.tls_started and not self.secured
