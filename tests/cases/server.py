"""Puts a stub on loopback: in clear text, behind TLS with a throw-away authority, as a proxy."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import trustme

from .stub import Asked, Stub

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Ports:
    """Where it listens. ``refused`` is a port on which nothing does."""

    plain: int
    tls: int
    proxy: int
    refused: int


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def __init__(self, stub: Stub, tls: bool, tunnel_to: int | None, *more: Any) -> None:
        self._stub, self._tls, self._tunnel_to = stub, tls, tunnel_to
        super().__init__(*more)

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_CONNECT(self) -> None:
        """A tunnel leads to the reconstructed server, wherever it was meant to go."""
        self.close_connection = True
        assert self._tunnel_to is not None
        with socket.create_connection((LOOPBACK, self._tunnel_to), timeout=10) as target:
            self.send_response_only(200, "Connection established")
            self.end_headers()
            _splice(self.connection, target)

    def _answer(self) -> None:
        answer = self._stub.answer(self._asked())
        body = answer.body.encode("utf-8", "surrogatepass")
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _asked(self) -> Asked:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        scheme, space, value = (self.headers.get("authorization") or "").partition(" ")
        bearer = value if space and scheme.lower() == "bearer" else None
        return Asked(
            method=self.command,
            path=urlsplit(self.path).path,
            bearer=bearer,
            x_api_key=self.headers.get("x-api-key"),
            body=body if isinstance(body, dict) else {},
            tls=self._tls,
            proxied=self._tunnel_to is not None,
        )

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, stub: Stub, context: ssl.SSLContext | None = None, tunnel_to: int | None = None
    ) -> None:
        self._context = context
        handler = partial(_Handler, stub, context is not None, tunnel_to)
        super().__init__((LOOPBACK, 0), handler)

    def get_request(self) -> tuple[Any, Any]:
        connection, address = self.socket.accept()
        if self._context is None:
            return connection, address
        # The handshake belongs to the connection's own thread.
        wrapped = self._context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        )
        return wrapped, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave, or refuse the certificate, are part of the game."""


@contextlib.contextmanager
def serving(stub: Stub, authority: trustme.CA, names: tuple[str, ...]) -> Iterator[Ports]:
    """Serve ``stub`` until the context ends. ``names`` are those of the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, "localhost", LOOPBACK).configure_cert(context)
    with contextlib.ExitStack() as stack:
        plain = stack.enter_context(_running(_Server(stub)))
        tls = stack.enter_context(_running(_Server(stub, context)))
        proxy = stack.enter_context(_running(_Server(stub, tunnel_to=tls)))
        # Bound and not listening: refused, and nobody else gets the port meanwhile.
        closed = stack.enter_context(socket.socket())
        closed.bind((LOOPBACK, 0))
        yield Ports(plain, tls, proxy, closed.getsockname()[1])


@contextlib.contextmanager
def _running(server: _Server) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _splice(one: socket.socket, other: socket.socket) -> None:
    """Pass bytes both ways until one side ends."""
    ends = {one: other, other: one}
    while True:
        readable, _, _ = select.select(list(ends), [], [], 30)
        if not readable:
            return
        for side in readable:
            data = side.recv(65536)
            if not data:
                return
            ends[side].sendall(data)
