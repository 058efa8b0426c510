"""The only place that speaks HTTP. Nothing of what comes back is trusted, nothing is followed.

One ``Requester`` belongs to a run: equal requests are sent once, whoever asks, and counted.
"""

from __future__ import annotations

import asyncio
import dataclasses
import ssl
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from doctor.context import Meter, Options
from doctor.facts.observed import Exchange, Redirect, TransportFault
from doctor.probes.body import Inflater, decoded, kept
from doctor.probes.dialling import Dialled, dialled, proxy_to_dial
from doctor.probes.faults import fault_of, text_of
from doctor.probes.phases import Phases
from doctor.probes.reading.pages import wants_tls
from doctor.probes.reading.streams import DONE, carries_content
from doctor.probes.request import KEPT, ProbeRequest, origin_of
from doctor.probes.sse import MAX_EVENTS, EventReader
from doctor.probes.trust import Trust, build_context
from doctor.secrets import Redactor
from doctor.untrusted import visible

if TYPE_CHECKING:
    import httpx

__all__ = ["Answer", "ProbeRequest", "Requester"]

_STREAM_LIMIT = 1024 * 1024
_MAX_HEADERS = 64
_MAX_HEADER = 500
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
# Without an event for so long, a stream stands still; before that it is only slow.
_STILL_S = 2.0


@dataclass(frozen=True, slots=True)
class Answer:
    """``text`` is the body up to the request's limit, as it came: untrusted, key and all."""

    exchange: Exchange
    text: str = field(repr=False)


class _Unusable(Exception):
    """A setting with which the client's HTTP library would not even start."""

    def __init__(self, fault: TransportFault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


@dataclass(slots=True)
class _Course:
    """One request while it runs."""

    request: ProbeRequest
    phases: Phases
    started: float
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = ""
    body: bytearray = field(default_factory=bytearray)
    events: list[str] = field(default_factory=list)
    complete: bool = False
    cancelled: bool = False
    headers_at: float | None = None
    first_event_at: float | None = None
    last_event_at: float | None = None
    redirect: Redirect | None = None
    fault: TransportFault | None = None
    text: str = ""

    def hear(self, data: str) -> bool:
        """Keep the data of an event; says whether to go on."""
        self.last_event_at = time.perf_counter()
        if self.first_event_at is None:
            self.first_event_at = self.last_event_at
        self.events.append(data)
        if data.strip() == DONE:
            self.complete = True
            return False
        full = len(self.events) >= MAX_EVENTS
        if full or (self.request.cancel_at_first and carries_content(data)):
            self.cancelled = True
            return False
        return True

    @property
    def stands_still(self) -> bool:
        last = self.last_event_at
        return last is None or time.perf_counter() - last > _STILL_S


class Requester:
    """Sends the requests of a run within ``options``, counts them on ``meter`` and takes keys out
    of all that is kept."""

    def __init__(self, options: Options, meter: Meter, redactor: Redactor) -> None:
        self._options = options
        self._meter = meter
        self._redact = redactor
        self._answers: dict[ProbeRequest, asyncio.Task[Answer]] = {}
        self._clients: dict[tuple[str | None, Trust | None], httpx.AsyncClient] = {}
        self._contexts: dict[Trust, ssl.SSLContext] = {}
        self._opening = asyncio.Lock()

    async def send(self, request: ProbeRequest) -> Exchange:
        """What came of ``request``. Never raises for what the network or the server does."""
        return (await self.ask(request)).exchange

    async def ask(self, request: ProbeRequest) -> Answer:
        """As ``send``, with the body beyond what an exchange keeps."""
        task = self._answers.get(request)
        if task is None:
            task = asyncio.create_task(self._perform(request), name=f"request {request.purpose}")
            self._answers[request] = task
        # Others wait for the same answer, so one who gives up must not stop it.
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Stop what still runs and close all connections."""
        for task in self._answers.values():
            task.cancel()
        await asyncio.gather(*self._answers.values(), return_exceptions=True)
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _perform(self, request: ProbeRequest) -> Answer:
        proxied = request.proxy is not None
        phases = Phases(proxied=proxied, tunnelled=proxied and request.is_tls)
        course = _Course(request, phases, time.perf_counter())
        limit = self._options.timeout
        try:
            async with asyncio.timeout(limit):
                client = await self._client(request)
                await self._converse(client, course)
        except _Unusable as unusable:
            course.fault, course.text = unusable.fault, str(unusable)
        except Exception as error:  # whatever a library raises is the answer to the question
            self._failed(course, error)
        finally:
            self._count(course)
        return self._finished(course)

    def _failed(self, course: _Course, error: Exception) -> None:
        limit = self._options.timeout
        if course.status is None:
            proxied = course.request.proxy is not None
            course.fault, course.text = fault_of(
                error, course.phases, proxied=proxied, timeout=limit
            )
        elif not isinstance(error, TimeoutError):
            course.text = text_of(error)
        elif not course.request.stream:
            course.fault = TransportFault.READ_TIMEOUT
            course.text = f"the answer ({course.status}) did not end within {limit:g} s"
        elif course.stands_still:
            course.text = f"the stream stood still until {limit:g} s were over"
        else:
            course.cancelled = True
            course.text = f"cancelled after {limit:g} s"

    def _count(self, course: _Course) -> None:
        # What is turned away by a redirect costs nothing.
        paid = 1 if course.request.billable and course.phases.sent else 0
        for _ in range(course.phases.sent - paid):
            self._meter.free()
        if paid:
            self._meter.billable(course.request.max_tokens or 0)

    async def _client(self, request: ProbeRequest) -> httpx.AsyncClient:
        """One client per way out. Raises ``_Unusable``."""
        import httpx

        trust = request.trust
        proxy_is_tls = request.proxy is not None and request.proxy[:6].lower() == "https:"
        # A Python client reads its bundle when it starts, for a target in clear text as well.
        reads_bundle = trust.bundle is not None and not trust.adds
        needs_trust = request.is_tls or proxy_is_tls or reads_bundle
        key = (request.proxy, trust if needs_trust else None)
        async with self._opening:
            if key in self._clients:
                return self._clients[key]
            context = await self._context(trust) if needs_trust else None
            try:
                proxy = self._proxy(request.proxy, context if proxy_is_tls else None)
                client = httpx.AsyncClient(
                    # Without a context this client is used for clear text only.
                    verify=context if context is not None else False,
                    proxy=proxy,
                    trust_env=False,
                    follow_redirects=False,
                    timeout=None,  # noqa: S113 - the whole request is bounded by _perform
                    headers={"user-agent": "kvdoctor", "accept-encoding": "gzip, deflate"},
                )
            except (ValueError, ImportError, httpx.InvalidURL) as error:
                raise _Unusable(TransportFault.PROXY_SETTING, str(error)) from error
            self._clients[key] = client
            return client

    def _proxy(self, url: str | None, context: ssl.SSLContext | None) -> httpx.Proxy | None:
        if url is None:
            return None
        import httpx

        return httpx.Proxy(proxy_to_dial(self._options, url), ssl_context=context)

    async def _context(self, trust: Trust) -> ssl.SSLContext:
        if trust not in self._contexts:
            try:
                self._contexts[trust] = await asyncio.to_thread(build_context, trust)
            except OSError as error:
                text = f"{trust.label}: {text_of(error)}"
                raise _Unusable(TransportFault.TLS_SETTING, text) from error
        return self._contexts[trust]

    async def _converse(self, client: httpx.AsyncClient, course: _Course) -> None:
        request = course.request
        while True:
            response = await self._sent(client, request, course)
            try:
                again = self._follows(request, course)
                if again is None:
                    await _read(response, course)
                    return
            finally:
                await response.aclose()
            request = again

    async def _sent(
        self, client: httpx.AsyncClient, request: ProbeRequest, course: _Course
    ) -> httpx.Response:
        way = Dialled(request.url)
        if request.proxy is None:
            way = dialled(self._options, request.url)
        headers = [*request.headers, *way.headers]
        extensions = {"trace": course.phases, **way.extensions}
        message = client.build_request(
            request.method, way.url, headers=headers, content=request.body, extensions=extensions
        )
        response = await client.send(message, stream=True)
        course.status = response.status_code
        course.headers_at = time.perf_counter()
        course.headers = {name.lower(): value for name, value in response.headers.items()}
        course.content_type = response.headers.get("content-type", "")
        return response

    def _follows(self, request: ProbeRequest, course: _Course) -> ProbeRequest | None:
        """The request to send instead. The key stays with its origin, and once is enough."""
        location = course.headers.get("location")
        if course.status not in _REDIRECTS or location is None:
            return None
        try:
            target = urljoin(request.url, location)
        except ValueError:
            target = location
        same = origin_of(target) is not None and origin_of(target) == origin_of(request.url)
        first = course.redirect is None
        shown = visible(self._redact(target), 2_000)
        course.redirect = Redirect(course.status, shown, same)
        keeps = course.status in _KEEPS_METHOD or request.method == "GET"
        if not (same and first and keeps and request.follow):
            return None
        return dataclasses.replace(request, url=target)

    def _finished(self, course: _Course) -> Answer:
        request = course.request
        text = decoded(bytes(course.body), course.content_type)
        body = "" if course.events else kept(self._redact(text[:KEPT]), KEPT)
        if not request.is_tls and wants_tls(course.status or 0, body):
            course.fault = TransportFault.PLAIN_TO_TLS
            course.text = " ".join(body.split())[:300]
        failed = course.fault is not None
        exchange = Exchange(
            purpose=request.purpose,
            method=request.method,
            url=visible(self._redact(request.url), 2_000),
            status=None if failed else course.status,
            headers=self._headers(course.headers),
            body=body,
            body_bytes=len(course.body),
            complete=course.complete,
            events=tuple(kept(self._redact(event), KEPT) for event in course.events),
            streamed=request.stream,
            cancelled=course.cancelled,
            ms_headers=_ms(course.started, course.headers_at) or 0,
            ms_first_event=_ms(course.started, course.first_event_at),
            ms_total=_ms(course.started, time.perf_counter()) or 0,
            fault=course.fault,
            fault_text=visible(self._redact(course.text), 1_000),
            redirect=course.redirect,
            via=None if request.proxy is None else visible(self._redact(request.proxy), 500),
            request_model=request.model,
            request_max_tokens=request.max_tokens,
        )
        return Answer(exchange, text)

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        told = [(name, value) for name, value in headers.items() if name != "set-cookie"]
        return {
            visible(name, 100): visible(self._redact(value), _MAX_HEADER)
            for name, value in told[:_MAX_HEADERS]
        }


async def _read(response: httpx.Response, course: _Course) -> None:
    request = course.request
    inflater = Inflater(response.headers.get("content-encoding", ""))
    streams = request.stream and response.is_success
    reader = EventReader() if streams else None
    limit = _STREAM_LIMIT if streams else request.limit
    async for chunk in response.aiter_raw():
        data = inflater.feed(chunk, limit - len(course.body))
        course.body += data
        if reader is not None:
            for event in reader.feed(data):
                if not course.hear(event):
                    return
            # A body that is no stream need not be read on like one.
            if not course.events:
                limit = max(request.limit, KEPT)
        if len(course.body) >= limit:
            course.cancelled = bool(course.events)
            return
    for event in reader.end() if reader is not None else ():
        course.hear(event)
    course.complete = not inflater.damaged


def _ms(started: float, moment: float | None) -> int | None:
    return None if moment is None else round((moment - started) * 1000)
