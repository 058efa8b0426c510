"""What a request is, and the answers a loopback handler can give."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterable, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qs, urlsplit

from .channel import Channel

Headers = tuple[tuple[str, str], ...]


def header_value(headers: Headers, name: str) -> str | None:
    """The first header of that name, whatever its case; None where there is none."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came over the wire.

    Headers and body stay out of ``repr``: a person may point a real client here.
    """

    method: str
    target: str
    headers: Headers = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    version: str = "HTTP/1.1"
    secure: bool = False
    received_at: float = field(default_factory=time.monotonic)

    @property
    def authority(self) -> str | None:
        """``host:port`` of an absolute-form or CONNECT target: what a proxy gets."""
        if self.method == "CONNECT":
            return self.target
        return urlsplit(self.target).netloc if self.is_absolute else None

    @property
    def is_absolute(self) -> bool:
        return self.target.lower().startswith(("http://", "https://"))

    @property
    def origin_form(self) -> str:
        """The target without scheme and authority, byte for byte as it was sent."""
        if not self.is_absolute:
            return self.target
        rest = self.target.split("://", 1)[1]
        cut = min((rest.find(mark) for mark in "/?" if mark in rest), default=len(rest))
        return rest[cut:] if rest[cut : cut + 1] == "/" else "/" + rest[cut:]

    @property
    def path(self) -> str:
        return self.origin_form.partition("?")[0]

    @property
    def query(self) -> str:
        return self.origin_form.partition("?")[2]

    @property
    def params(self) -> dict[str, list[str]]:
        return parse_qs(self.query, keep_blank_values=True)

    @property
    def host(self) -> str:
        return self.header("host") or ""

    def header(self, name: str) -> str | None:
        return header_value(self.headers, name)

    def json(self) -> object:
        """The body as JSON; raises ValueError where it is none."""
        value: object = json.loads(self.body)
        return value

    def json_object(self) -> dict[str, object]:
        """The body as a JSON object, or an empty one: for code past validation."""
        try:
            value = self.json()
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


class End(StrEnum):
    """How a streamed answer ends."""

    CLEAN = "clean"
    CUT = "cut"
    RESET = "reset"
    STALL = "stall"


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer. ``cut_at`` closes after so many body bytes though all were announced."""

    status: int = 200
    body: bytes = b""
    headers: Headers = ()
    reason: str | None = None
    delay: float = 0.0
    cut_at: int | None = None
    chunked: bool = False
    close: bool = False

    def header(self, name: str) -> str | None:
        return header_value(self.headers, name)


@dataclass(frozen=True, slots=True)
class StreamResponse:
    """An answer sent in HTTP chunks as they come."""

    chunks: AsyncIterable[bytes]
    status: int = 200
    headers: Headers = ()
    reason: str | None = None
    delay: float = 0.0
    ends: End = End.CLEAN


@dataclass(frozen=True, slots=True)
class Hang:
    """Send ``head``, then nothing more, and keep the connection open."""

    head: bytes = b""


@dataclass(frozen=True, slots=True)
class Drop:
    """Close without a byte; with ``reset`` by RST."""

    reset: bool = False


@dataclass(frozen=True, slots=True)
class Raw:
    """These bytes and nothing else, then close."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Tunnel:
    """The answer to CONNECT: 200, then bytes pass both ways between client and ``far``."""

    far: Channel = field(repr=False)
    reason: str = "Connection established"


Answer = Response | StreamResponse | Hang | Drop | Raw | Tunnel
Handler = Callable[[Request], Awaitable[Answer]]


def json_response(
    status: int,
    value: object,
    headers: Headers = (),
    *,
    content_type: str = "application/json",
    delay: float = 0.0,
) -> Response:
    """Compact UTF-8 JSON, as Starlette and gin write it."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(status, body, (("content-type", content_type), *headers), delay=delay)
