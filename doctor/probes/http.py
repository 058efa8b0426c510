"""The only place that speaks HTTP. Nothing of what comes back is trusted, nothing is followed.

One ``Requester`` belongs to a run: equal requests are sent once, whoever asks, and counted.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import ssl
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from doctor.context import Meter, Options
from doctor.facts.answers import Exchange
from doctor.facts.network import Redirect, TransportFault
from doctor.probes.body import Inflater
from doctor.probes.course import Answer, Course
from doctor.probes.dialling import Dialled, dialled, proxy_to_dial
from doctor.probes.faults import text_of
from doctor.probes.phases import Phases
from doctor.probes.request import KEPT, ProbeRequest, origin_of
from doctor.probes.sse import EventReader
from doctor.probes.tlsguess import speaks_tls
from doctor.probes.trust import Trust, build_context
from doctor.secrets import Redactor
from doctor.untrusted import visible

if TYPE_CHECKING:
    import httpx

__all__ = ["Answer", "ProbeRequest", "Requester"]

_STREAM_LIMIT = 1024 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEPS_METHOD = frozenset({307, 308})
_NO_MATTER = Trust()


# What is imported when the first client is made, and when it first sends.
_AT_THE_FIRST = ("httpx", "httpcore", "anyio._backends._asyncio")


def warm() -> None:
    """Import what the first request needs. Takes a tenth of a second: for a thread, where keys are
    to be answered meanwhile."""
    for name in _AT_THE_FIRST:
        importlib.import_module(name)


class _Unusable(Exception):
    """A setting with which the client's HTTP library would not even start."""

    def __init__(self, fault: TransportFault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


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
        request = _as_sent(request)
        task = self._answers.get(request)
        if task is None:
            task = asyncio.create_task(self._perform(request), name=f"request {request.purpose}")
            self._answers[request] = task
        # Others wait for the same answer, so one who gives up must not stop it.
        return await asyncio.shield(task)

    async def anew(self, request: ProbeRequest) -> Answer:
        """As ``ask``, but sent again whatever was answered before: for what changes by itself."""
        return await self._perform(request)

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
        course = Course(request, phases)
        limit = self._options.timeout
        try:
            async with asyncio.timeout(limit):
                client = await self._client(request)
                await self._converse(client, course)
        except _Unusable as unusable:
            course.fault, course.text = unusable.fault, str(unusable)
        except Exception as error:  # whatever a library raises is the answer to the question
            course.fail(error, limit)
        finally:
            self._count(course)
        await self._look_for_tls(course)
        return course.answer(self._redact)

    async def _look_for_tls(self, course: Course) -> None:
        request = course.request
        closed = course.fault is TransportFault.RESET and course.phases.sent > 0
        if not closed or request.is_tls or request.proxy is not None:
            return
        if await speaks_tls(self._options, request.url):
            course.fault = TransportFault.PLAIN_TO_TLS
            course.text = f"{course.text}; the port speaks TLS"

    def _count(self, course: Course) -> None:
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
        needs_trust = request.needs_trust
        key = (request.proxy, trust if needs_trust else None)
        async with self._opening:
            if key in self._clients:
                return self._clients[key]
            context = await self._context(trust) if needs_trust else None
            try:
                proxy = self._proxy(request.proxy, context if request.proxy_is_tls else None)
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

    async def _converse(self, client: httpx.AsyncClient, course: Course) -> None:
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
            course.status = None

    async def _sent(
        self, client: httpx.AsyncClient, request: ProbeRequest, course: Course
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
        told = {name.lower(): value for name, value in response.headers.items()}
        course.begin(response.status_code, told)
        return response

    def _follows(self, request: ProbeRequest, course: Course) -> ProbeRequest | None:
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


def _as_sent(request: ProbeRequest) -> ProbeRequest:
    """``request`` without what has no part in it: whom a client trusts, in clear text."""
    if request.needs_trust or request.trust == _NO_MATTER:
        return request
    return dataclasses.replace(request, trust=_NO_MATTER)


async def _read(response: httpx.Response, course: Course) -> None:
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
            course.full = True
            return
    for event in reader.end() if reader is not None else ():
        course.hear(event)
    course.complete = not inflater.damaged
