"""Completions as streams, with the moment of every piece: what ``kvdoctor bench`` measures.

One client of many connections. While streams run, next to nothing is done for a piece but noting
when it came: what measuring costs would otherwise be measured as well.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from doctor.connection import Protocol
from doctor.context import Options
from doctor.facts.answers import Exchange
from doctor.facts.store import Unavailable
from doctor.patterns import Pattern
from doctor.probes.body import Inflater
from doctor.probes.dialling import Dialled, dialled, proxy_to_dial
from doctor.probes.faults import text_of
from doctor.probes.reading.errorbody import error_of
from doctor.probes.reading.jsontext import parse
from doctor.probes.reading.streams import told_by
from doctor.probes.trust import Trust, build_context
from doctor.secrets import Redactor
from doctor.token_usage import usage_of
from doctor.untrusted import visible

if TYPE_CHECKING:
    import httpx

# An event that brings something of the answer, its role and its end aside. Looked for in the text:
# to parse every event would cost more than all the rest. Quotes within a JSON text are escaped.
_FILLED = r'"\s*:\s*"[^"]'
PIECE = {
    Protocol.OPENAI_CHAT: Pattern(rf'"(?:content|reasoning_content|reasoning|arguments){_FILLED}'),
    Protocol.ANTHROPIC_MESSAGES: Pattern(rf'"(?:text|thinking|partial_json){_FILLED}'),
    Protocol.OPENAI_RESPONSES: Pattern(rf'"delta{_FILLED}'),
}
# Usage and the end are told by the last events, the prompt of the Messages API by the first.
_LAST = 4
_LONGEST = 256 * 1024
_BODY = 64 * 1024
_SAID = 300


# Objects by the ten thousand: the standard decorator makes them faster.
@dataclass(slots=True)
class Shot:
    """One request. ``began`` and ``moments``, when each piece of the answer came, are on
    ``time.perf_counter``; ``latency`` is in seconds from sending to the end of the stream.

    Tokens are as the server told, None where it did not. ``error`` is "" for an answer, else
    ``http-STATUS``, ``timeout``, ``connect``, ``cut``, ``not-streamed``, ``error-event`` or
    ``empty``; ``said`` are harmless words about it.
    """

    began: float
    latency: float = 0.0
    moments: list[float] = field(default_factory=list)
    prompt: int | None = None
    output: int | None = None
    cached: int | None = None
    status: int | None = None
    error: str = ""
    said: str = ""

    @property
    def ttft(self) -> float | None:
        """Seconds to the first piece."""
        return self.moments[0] - self.began if self.moments else None

    @property
    def tokens(self) -> int:
        """Of the answer; the pieces, where the server tells nothing."""
        return len(self.moments) if self.output is None else self.output

    @property
    def tpot(self) -> float | None:
        """Seconds per token after the first one; None for an answer of one token."""
        if not self.moments or self.tokens < 2:
            return None
        return (self.moments[-1] - self.moments[0]) / (self.tokens - 1)


@dataclass(frozen=True, slots=True)
class Call:
    """Where requests go, and how; headers and proxy may hold keys. ``timeout`` in seconds."""

    protocol: Protocol
    url: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    proxy: str | None = field(repr=False)
    trust: Trust
    timeout: float


class Listener:
    """Takes the bytes of one stream as they come."""

    __slots__ = ("_first", "_last", "_piece", "_rest", "moments", "overlong")

    def __init__(self, protocol: Protocol) -> None:
        self._piece = PIECE[protocol].compiled.search
        self._rest = b""
        self._first: str | None = None
        self._last: deque[str] = deque(maxlen=_LAST)
        self.moments: list[float] = []
        self.overlong = False

    def feed(self, data: bytes, at: float) -> None:
        """``at`` is when ``data`` came."""
        whole = self._rest + data if self._rest else data
        held = b""
        if b"\r" in whole:
            # A line may end in CR, LF or both, and the two may come apart.
            if whole.endswith(b"\r"):
                whole, held = whole[:-1], b"\r"
            whole = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *events, rest = whole.split(b"\n\n")
        for event in events:
            self._hear(event, at)
        self._rest = rest + held
        if len(self._rest) > _LONGEST:
            self._rest, self.overlong = b"", True

    def end(self, at: float) -> tuple[str, ...]:
        """The data of the first and of the last events."""
        if self._rest.strip():
            self._hear(self._rest, at)
        first = () if self._first is None or len(self._last) < _LAST else (self._first,)
        return tuple(_data(event) for event in (*first, *self._last))

    def _hear(self, event: bytes, at: float) -> None:
        text = event.decode("utf-8", "replace")
        if "data:" not in text:
            return
        if self._piece(text) is not None:
            self.moments.append(at)
        self._last.append(text)
        if self._first is None:
            self._first = text


def _data(event: str) -> str:
    lines = (line for line in event.split("\n") if line.startswith("data:"))
    return "\n".join(line.removeprefix("data:").removeprefix(" ") for line in lines)


class Streamer:
    """``async with Streamer(options, call, redactor) as s``: then ``await s.ask(body)``.

    Entering raises ``Unavailable`` where the trust or the proxy cannot be used.
    """

    def __init__(self, options: Options, call: Call, redactor: Redactor) -> None:
        self._options = options
        self._call = call
        self._redact = redactor
        self._way = dialled(options, call.url) if call.proxy is None else Dialled(call.url)
        self._client: httpx.AsyncClient | None = None

    async def __aenter__(self) -> Self:
        import httpx

        call = self._call
        context = None
        proxy_is_tls = call.proxy is not None and call.proxy[:6].lower() == "https:"
        try:
            if call.url[:6].lower() == "https:" or proxy_is_tls:
                context = await asyncio.to_thread(build_context, call.trust)
            proxy = None
            if call.proxy is not None:
                proxied = proxy_to_dial(self._options, call.proxy)
                proxy = httpx.Proxy(proxied, ssl_context=context if proxy_is_tls else None)
            self._client = httpx.AsyncClient(
                # Without a context this client is used for clear text only.
                verify=context if context is not None else False,
                proxy=proxy,
                trust_env=False,
                follow_redirects=False,
                timeout=None,  # noqa: S113 - the whole request is bounded by ask
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
                headers={
                    "user-agent": "kvdoctor",
                    # What is compressed may come late.
                    "accept-encoding": "identity",
                    **dict((*call.headers, *self._way.headers)),
                },
            )
        except (OSError, ValueError, ImportError, httpx.InvalidURL) as error:
            raise Unavailable(visible(self._redact(text_of(error)), _SAID)) from error
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def ask(self, body: str) -> Shot:
        """Send one request and read its stream to the end. Never raises for what the network or
        the server does."""
        import httpx

        shot = Shot(time.perf_counter())
        try:
            async with asyncio.timeout(self._call.timeout):
                await self._converse(body, shot)
        except TimeoutError:
            shot.error, shot.said = "timeout", f"no end after {self._call.timeout:g} s"
        except (httpx.ConnectError, httpx.ProxyError) as error:
            shot.error, shot.said = "connect", text_of(error)
        except Exception as error:  # whatever a library raises is what became of the request
            shot.error, shot.said = "cut", text_of(error)
        shot.latency = time.perf_counter() - shot.began
        shot.said = visible(self._redact(shot.said), _SAID)
        return shot

    async def _converse(self, body: str, shot: Shot) -> None:
        client = self._client
        assert client is not None, "ask is for within the block"
        way = self._way
        message = client.build_request(
            "POST", way.url, content=body.encode("utf-8", "replace"), extensions=way.extensions
        )
        shot.began = time.perf_counter()
        response = await client.send(message, stream=True)
        try:
            shot.status = response.status_code
            kind = response.headers.get("content-type", "")
            if not response.is_success or "event-stream" not in kind.lower():
                await self._refused(response, shot)
            else:
                await self._listen(response, shot)
        finally:
            await response.aclose()

    async def _refused(self, response: httpx.Response, shot: Shot) -> None:
        inflater = Inflater(response.headers.get("content-encoding", ""))
        text = bytearray()
        async for chunk in response.aiter_raw():
            text += inflater.feed(chunk, _BODY - len(text))
            if len(text) >= _BODY:
                break
        told = text.decode("utf-8", "replace")
        error = error_of(parse(told))
        shot.said = error.said if error is not None else told
        shot.error = "not-streamed" if response.is_success else f"http-{response.status_code}"

    async def _listen(self, response: httpx.Response, shot: Shot) -> None:
        listener = Listener(self._call.protocol)
        clock = time.perf_counter
        encoding = response.headers.get("content-encoding", "")
        if encoding in ("", "identity"):
            async for chunk in response.aiter_raw():
                listener.feed(chunk, clock())
        else:
            inflater = Inflater(encoding)
            async for chunk in response.aiter_raw():
                listener.feed(inflater.feed(chunk, _LONGEST), clock())
        self._read(listener, shot)

    def _read(self, listener: Listener, shot: Shot) -> None:
        events = listener.end(time.perf_counter())
        shot.moments = listener.moments
        told = told_by(events, self._call.protocol)
        usage = usage_of(Exchange("bench", "POST", "", shot.status, events=events, streamed=True))
        shot.prompt, shot.output, shot.cached = usage.prompt, usage.output, usage.cached
        if told.error is not None:
            shot.error, shot.said = "error-event", told.error.said
        elif not (told.ended or told.finish):
            shot.error, shot.said = "cut", "the stream stopped without an end"
        elif not shot.moments:
            shot.error, shot.said = "empty", "the answer holds no token"


__all__ = ["Call", "Listener", "Shot", "Streamer"]
