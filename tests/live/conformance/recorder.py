"""A loopback server and a forward proxy that write down every request and answer it."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

from .answers import answer

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it arrived.

    ``target`` is what stood on the request line: a path with its query, an absolute URL where the
    client spoke to a proxy, or "host:port" for CONNECT. ``headers`` have lower-case names, in
    order, repeated ones included.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    through_proxy: bool
    host: str

    @property
    def url(self) -> str:
        """The absolute URL; "host:port" alone for CONNECT."""
        if self.method == "CONNECT" or "://" in self.target:
            return self.target
        return f"http://{self.header('host') or self.host}{self.target}"

    @property
    def path(self) -> str:
        """The path without a query."""
        return urllib.parse.urlsplit(self.target).path

    def header(self, name: str) -> str | None:
        """The last value of a header."""
        found = [value for key, value in self.headers if key == name.lower()]
        return found[-1] if found else None

    @property
    def json(self) -> dict[str, Any]:
        """The body where it is a JSON object, else an empty one."""
        try:
            parsed = json.loads(self.body)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}

    def __str__(self) -> str:
        way = " through the proxy" if self.through_proxy else ""
        return f"{self.method} {self.target}{way}"


_MODEL_PATHS = ("/chat/completions", "/responses", "/messages", "enerateContent", "/completions")


def asks_a_model(request: Recorded) -> bool:
    """Whether ``request`` is the one that a client is run for."""
    if request.method == "CONNECT":
        return True
    return request.method == "POST" and any(part in request.target for part in _MODEL_PATHS)


class Recorder:
    """What has arrived so far, at the server and at the proxy. Use ``recording``."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.changed = threading.Condition()
        self.port = 0
        self.proxy_port = 0

    @property
    def base(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def proxy(self) -> str:
        return f"http://{HOST}:{self.proxy_port}"

    def note(self, request: Recorded) -> None:
        with self.changed:
            self.requests.append(request)
            self.changed.notify_all()

    def clear(self) -> None:
        with self.changed:
            self.requests.clear()

    def first(self, wanted: Callable[[Recorded], bool]) -> Recorded | None:
        with self.changed:
            return next((request for request in self.requests if wanted(request)), None)

    def wait(self, wanted: Callable[[Recorded], bool], timeout: float) -> Recorded | None:
        """The first request that is ``wanted``; None after ``timeout`` seconds."""
        with self.changed:
            self.changed.wait_for(lambda: any(map(wanted, self.requests)), timeout)
        return self.first(wanted)


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, recorder: Recorder, through_proxy: bool) -> None:
        self.recorder = recorder
        self.through_proxy = through_proxy
        super().__init__((HOST, 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was ended in the middle of its request is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 30

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _record(self) -> Recorded:
        headers = tuple((name.lower(), value) for name, value in self.headers.items())
        request = Recorded(
            self.command,
            self.requestline.split(" ")[1],  # "self.path" has its leading slashes collapsed
            headers,
            self._body(),
            self.server.through_proxy,
            f"{HOST}:{self.server.server_address[1]}",
        )
        self.server.recorder.note(request)
        return request

    def _body(self) -> bytes:
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            pieces = list[bytes]()
            while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _respond(self, *, with_body: bool = True) -> None:
        request = self._record()
        status, kind, body = answer(request.path, request.json)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def do_HEAD(self) -> None:
        self._respond(with_body=False)

    def do_CONNECT(self) -> None:
        """Written down and refused: what would follow is encrypted."""
        self._record()
        self.send_response(502)
        self.send_header("content-length", "0")
        self.end_headers()
        self.close_connection = True


@contextlib.contextmanager
def recording() -> Iterator[Recorder]:
    """A server and a proxy on free loopback ports for as long as the context lasts."""
    recorder = Recorder()
    with _Server(recorder, False) as server, _Server(recorder, True) as proxy:
        recorder.port = server.server_address[1]
        recorder.proxy_port = proxy.server_address[1]
        threads = [
            threading.Thread(target=each.serve_forever, kwargs={"poll_interval": 0.05})
            for each in (server, proxy)
        ]
        for thread in threads:
            thread.start()
        try:
            yield recorder
        finally:
            server.shutdown()
            proxy.shutdown()
            for thread in threads:
                thread.join()
