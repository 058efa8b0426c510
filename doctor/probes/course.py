"""One request while it runs, and the exchange that it ends as."""

from __future__ import annotations

import time
from dataclasses import field

from doctor.facts.answers import Exchange
from doctor.facts.network import Redirect, TransportFault
from doctor.probes.body import decoded, kept
from doctor.probes.faults import fault_of, text_of
from doctor.probes.phases import Phases
from doctor.probes.reading.pages import wants_tls
from doctor.probes.reading.streams import DONE, carries_content
from doctor.probes.request import KEPT, ProbeRequest
from doctor.probes.sse import MAX_EVENT, MAX_EVENTS
from doctor.records import dataclass
from doctor.secrets import Redactor
from doctor.untrusted import visible

_MAX_HEADERS = 64
_MAX_HEADER = 500
_FIELD = len("data: ")
# Without an event for so long, in seconds, a stream stands still; before that it is only slow.
_STILL = 2.0


@dataclass(frozen=True, slots=True)
class Answer:
    """``text`` is the body up to the request's limit, as it came but for keys: untrusted."""

    exchange: Exchange
    text: str = field(repr=False)


@dataclass(slots=True)
class Course:
    """``headers`` are as they came. ``cancelled`` says that the doctor ended the stream, ``full``
    that it read no further than its limit."""

    request: ProbeRequest
    phases: Phases
    started: float = field(default_factory=time.perf_counter)
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    events: list[str] = field(default_factory=list)
    complete: bool = False
    full: bool = False
    cancelled: bool = False
    headers_at: float | None = None
    first_event_at: float | None = None
    last_event_at: float | None = None
    redirect: Redirect | None = None
    fault: TransportFault | None = None
    text: str = ""

    def begin(self, status: int, headers: dict[str, str]) -> None:
        """The head of an answer has come."""
        self.status = status
        self.headers = headers
        self.headers_at = time.perf_counter()

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

    def fail(self, error: Exception, limit: float) -> None:
        """``error`` ended it; ``limit`` is the time that it had, in seconds."""
        if self.status is None:
            proxied = self.request.proxy is not None
            self.fault, self.text = fault_of(error, self.phases, proxied=proxied, timeout=limit)
        elif not isinstance(error, TimeoutError):
            self.text = text_of(error)
        elif not self.request.stream:
            self.fault = TransportFault.READ_TIMEOUT
            self.text = f"the answer ({self.status}) did not end within {limit:g} s"
        elif self._stands_still(limit):
            self.text = f"the stream stood still until {limit:g} s were over"
        else:
            self.cancelled = True
            self.text = f"cancelled after {limit:g} s"

    def _stands_still(self, limit: float) -> bool:
        last = self.last_event_at
        return last is None or time.perf_counter() - last > min(_STILL, limit / 2)

    def answer(self, redact: Redactor) -> Answer:
        """What is kept of it: bounded, harmless, without keys.

        Keys go before anything is cut: half a key is most of a key.
        """
        request = self.request
        text = redact.known(decoded(bytes(self.body), self.headers.get("content-type", "")))
        if self.full:
            text = text[: -redact.longest or None]
        body = "" if self.events else kept(redact(text[: KEPT + redact.longest]), KEPT)
        if not request.is_tls and wants_tls(self.status or 0, body):
            self.fault = TransportFault.PLAIN_TO_TLS
            self.text = " ".join(body.split())[:300]
        exchange = Exchange(
            purpose=request.purpose,
            method=request.method,
            url=visible(redact(request.url), 2_000),
            status=self.status if self.fault is None else None,
            headers=self._kept_headers(redact),
            body=body,
            body_bytes=len(self.body),
            complete=self.complete,
            events=tuple(kept(redact(_whole(event, redact)), KEPT) for event in self.events),
            streamed=request.stream,
            cancelled=self.cancelled,
            ms_headers=self._ms(self.headers_at) or 0,
            ms_first_event=self._ms(self.first_event_at),
            ms_total=self._ms(time.perf_counter()) or 0,
            fault=self.fault,
            fault_text=visible(redact(self.text), 1_000),
            redirect=self.redirect,
            via=None if request.proxy is None else visible(redact(request.proxy), 500),
            request_model=None if request.model is None else visible(request.model, 300),
            request_max_tokens=request.max_tokens,
        )
        return Answer(exchange, text)

    def _kept_headers(self, redact: Redactor) -> dict[str, str]:
        # A cookie may be the session of a signed-in user.
        told = [(name, value) for name, value in self.headers.items() if name != "set-cookie"]
        return {
            visible(name, 100): visible(redact(value), _MAX_HEADER)
            for name, value in told[:_MAX_HEADERS]
        }

    def _ms(self, moment: float | None) -> int | None:
        return None if moment is None else round((moment - self.started) * 1000)


def _whole(event: str, redact: Redactor) -> str:
    """The data of an event; of one that the reader cut, without what may be half a key."""
    return event[: -redact.longest or None] if len(event) >= MAX_EVENT - _FIELD else event
