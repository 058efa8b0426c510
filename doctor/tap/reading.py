"""From bytes and moments to what an exchange was. Runs beside the relay, in a thread of its own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from doctor.connection import Protocol
from doctor.facts.answers import Exchange, ModelsReply, Reply
from doctor.facts.network import Redirect
from doctor.probes.body import Inflater, decoded, kept
from doctor.probes.classify import classify, classify_models
from doctor.probes.reading.jsontext import parse
from doctor.probes.reading.modelslist import models_in
from doctor.probes.reading.streams import Told, hear
from doctor.probes.request import KEPT
from doctor.probes.sse import EventReader
from doctor.secrets import Redactor
from doctor.tap import bodies, keys
from doctor.tap.heads import Head
from doctor.tap.moments import after, timing_of
from doctor.tap.record import Record
from doctor.tap.seen import ANSWER_KEPT, End, Seen
from doctor.tap.trouble import trouble_of
from doctor.tap.upstream import Upstream
from doctor.token_usage import Usage, usage_of
from doctor.untrusted import visible

# Of a long stream the beginning and the end are kept: what it says of itself stands there.
_EVENTS_FIRST, _EVENTS_LAST = 160, 40
_MAX_HEADERS = 64
_SHOWN = 2_000


@dataclass(slots=True)
class _Answer:
    """The body of an answer. ``moments`` are those of its events, ``token`` that of the first
    event with content."""

    text: str = ""
    events: list[str] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    token: float | None = None
    damaged: bool = False


def read(seen: Seen, upstream: Upstream, redactor: Redactor) -> Record:
    """The record of ``seen``. ``redactor`` learns its credentials first."""
    head = seen.arrived
    keys.learn(redactor, head)
    path, url = _place(head, upstream)
    protocol = bodies.protocol_of(head.method, path)
    encoding = keys.text_of(head.first(b"content-encoding") or b"")
    body = bodies.parsed(bytes(seen.body), encoding) if seen.body else None
    asked = body or {}
    stream = bodies.streams(path, asked) if body is not None else _is_stream(seen)
    told = _answer(seen, protocol if stream else None)
    model, limit = bodies.model_of(path, asked), bodies.limit_of(asked)
    exchange = _exchange(seen, upstream, redactor, told, url, stream)
    exchange = _asking(exchange, model, limit)
    reply, listed = _meaning(seen, exchange, told, protocol, path)
    return Record(
        number=seen.number,
        place=seen.place,
        at=seen.at,
        method=visible(head.method, 20),
        url=exchange.url,
        path=visible(redactor(path), _SHOWN),
        protocol=protocol,
        headers=keys.shown(head, redactor),
        credentials=keys.credentials(head),
        model=None if model is None else visible(redactor(model), 300),
        max_tokens=limit,
        stream=stream,
        body_bytes=seen.body_bytes,
        digest=hashlib.sha256(head.target.encode() + b"\0" + seen.body).hexdigest(),
        body=body,
        understood=body is not None,
        status=None if seen.answer is None else seen.answer.status,
        answer_headers=() if seen.answer is None else keys.shown(seen.answer, redactor),
        answer_bytes=seen.answer_bytes,
        reply=reply,
        listed=listed,
        usage=Usage() if exchange.status is None else usage_of(exchange),
        timing=timing_of(seen, told.moments, told.token),
        events=len(told.moments),
        end=seen.end,
        trouble=exchange.fault_text,
    )


def _place(head: Head, upstream: Upstream) -> tuple[str, str]:
    """The path without its query, and the URL at the server."""
    target = head.target
    if not target.startswith("/"):
        try:
            parts = urlsplit(target)
        except ValueError:
            return target, upstream.origin.url + target
        rest = f"?{parts.query}" if parts.query else ""
        return parts.path, upstream.origin.url + parts.path + rest
    return target.partition("?")[0], upstream.origin.url + target


# ------------------------------------------------------------------ the answer


def _is_stream(seen: Seen) -> bool:
    """By the answer alone, where the request cannot be looked into: it may be packed."""
    head = seen.answer
    return head is not None and b"event-stream" in (head.first(b"content-type") or b"").lower()


def _encoding(seen: Seen) -> str:
    head = seen.answer
    return "" if head is None else keys.text_of(head.first(b"content-encoding") or b"")


def _answer(seen: Seen, protocol: Protocol | None) -> _Answer:
    made = _Answer()
    encoding = _encoding(seen)
    if seen.answer is None or not bodies.readable(encoding):
        return made
    inflater = Inflater("" if encoding.strip().lower() == "identity" else encoding)
    kind = keys.text_of(seen.answer.first(b"content-type") or b"")
    reader = EventReader() if protocol is not None and (seen.answer.status or 0) < 300 else None
    whole = bytearray()
    for moment, piece in seen.pieces:
        data = inflater.feed(piece, ANSWER_KEPT - len(whole))
        whole += data
        if reader is not None and protocol is not None:
            _hear(made, reader.feed(data), moment, protocol)
    if reader is not None and protocol is not None:
        _hear(made, reader.end(), seen.last or seen.begun, protocol)
    made.damaged = inflater.damaged
    made.text = "" if made.events else decoded(bytes(whole), kind)
    return made


def _hear(made: _Answer, events: list[str], moment: float, protocol: Protocol) -> None:
    for event in events:
        made.moments.append(moment)
        made.events.append(event)
        if len(made.events) > _EVENTS_FIRST + _EVENTS_LAST:
            del made.events[_EVENTS_FIRST]
        if made.token is None:
            told = Told()
            hear(told, event, protocol)
            if told.content:
                made.token = moment


# ------------------------------------------------------------------ as an exchange of a run


def _exchange(
    seen: Seen, upstream: Upstream, redactor: Redactor, told: _Answer, url: str, stream: bool
) -> Exchange:
    head = seen.answer
    status = None if head is None else head.status
    fault, text = trouble_of(seen, upstream)
    redact = redactor
    headers = {}
    for name, value in (keys.shown(head, redact) if head is not None else ())[:_MAX_HEADERS]:
        if name.lower() != "set-cookie":
            headers[name.lower()] = value
    shown = redact.known(told.text)
    return Exchange(
        purpose="tap",
        method=visible(seen.arrived.method, 20),
        url=visible(redact(url), _SHOWN),
        status=status if fault is None else None,
        headers=headers,
        body=kept(redact(shown[: KEPT + redact.longest]), KEPT),
        body_bytes=seen.answer_bytes,
        complete=seen.end is End.COMPLETE and not told.damaged,
        events=tuple(kept(redact(event), KEPT) for event in told.events),
        streamed=stream,
        cancelled=seen.end in (End.CLIENT_LEFT, End.OPEN) or seen.answer_bytes > ANSWER_KEPT,
        ms_headers=round(after(seen, seen.answered) or 0),
        ms_first_event=_whole(after(seen, told.token)),
        ms_total=round(after(seen, seen.ended) or 0),
        fault=fault,
        fault_text=visible(redact(text), 1_000),
        redirect=_redirect(head, status, redact),
        via=None if upstream.proxy is None else visible(redact(upstream.proxy), 500),
    )


def _asking(exchange: Exchange, model: str | None, limit: int | None) -> Exchange:
    from dataclasses import replace

    shown = None if model is None else visible(model, 300)
    return replace(exchange, request_model=shown, request_max_tokens=limit)


def _redirect(head: Head | None, status: int | None, redact: Redactor) -> Redirect | None:
    location = None if head is None else head.first(b"location")
    if location is None or status is None or not 300 <= status < 400:
        return None
    text = keys.text_of(location)
    return Redirect(status, visible(redact(text), _SHOWN), "://" not in text)


def _meaning(
    seen: Seen, exchange: Exchange, told: _Answer, protocol: Protocol | None, path: str
) -> tuple[Reply | None, ModelsReply | None]:
    """What the answer means, where it is one."""
    packed = not bodies.readable(_encoding(seen))
    if seen.end is End.OPAQUE or (packed and (exchange.status or 0) < 400):
        return None, None
    if seen.end in (End.CLIENT_LEFT, End.OPEN) and exchange.status is None:
        return None, None
    if protocol is not None:
        return Reply(exchange, classify(exchange, protocol, told.text)), None
    if bodies.lists_models(exchange.method, path):
        reply = Reply(exchange, classify_models(exchange, told.text))
        return reply, ModelsReply(reply, models_in(parse(told.text)))
    return None, None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
