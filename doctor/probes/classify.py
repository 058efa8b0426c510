"""From an exchange to what it means. Pure."""

from __future__ import annotations

from typing import Any

from doctor.connection import Protocol
from doctor.facts.answers import Exchange, Outcome, OutcomeKind
from doctor.firewalls import is_firewall
from doctor.patterns import Pattern
from doctor.probes.reading.budget import budget_of
from doctor.probes.reading.errorbody import ErrorBody, error_in_success, error_of
from doctor.probes.reading.jsontext import NotJson, parse
from doctor.probes.reading.modelslist import models_in
from doctor.probes.reading.names import param_of, served_in
from doctor.probes.reading.pages import is_html, is_proxy_page, title_of
from doctor.probes.reading.refusals import AFTER_BUDGET, BEFORE_BUDGET, by_status, by_words
from doctor.probes.reading.streams import told_by
from doctor.probes.reading.whole import answer_in, error_in_choice, model_of
from doctor.untrusted import visible

K = OutcomeKind
_SHORT = 200
_TEXT = 500
_EVENTS = Pattern(r"\s*(?:data|event|id|retry)?:")
# Parameters whose content is at fault, not their being there.
_ALWAYS_THERE = frozenset({"", "model", "messages", "input", "prompt", "body", "stream"})
# The other way round: what the request lacks is not refused.
_LACKING = Pattern(r"\bfield required\b", 2)  # re.IGNORECASE


def classify(exchange: Exchange, protocol: Protocol, body: str | None = None) -> Outcome:
    """What the answer to a completion means, by status, headers, body and events.

    ``body`` is all of it where the exchange keeps only its beginning.
    """
    common = _before_the_body(exchange)
    if common is not None:
        return common
    if exchange.streamed and exchange.events:
        return _stream(exchange, protocol)
    return _whole(exchange, protocol, exchange.body if body is None else body)


def classify_models(exchange: Exchange, body: str | None = None) -> Outcome:
    """What the answer to a models list means; ``body`` is all of it where the exchange keeps only
    its beginning."""
    common = _before_the_body(exchange)
    if common is not None:
        return common
    text = exchange.body if body is None else body
    shape = _shape(exchange, text)
    if shape is not None:
        return shape
    value = parse(text)
    error = error_in_success(value)
    if models_in(value) is not None and (error is None or not error.said):
        return Outcome(K.ANSWERED)
    if error is not None:
        return _failed(K.ERROR_IN_SUCCESS, error, exchange)
    if value is NotJson:
        return Outcome(K.NOT_JSON, message=visible(text.strip(), _SHORT))
    return Outcome(K.NOT_SERVED, message=visible(text.strip(), _SHORT))


def _before_the_body(exchange: Exchange) -> Outcome | None:
    """All that does not depend on what was asked; None where the status says success."""
    if exchange.fault is not None or exchange.status is None:
        return Outcome(K.TRANSPORT, message=exchange.fault_text)
    if is_proxy_page(exchange):
        return Outcome(K.PROXY_PAGE, message=_page_message(exchange))
    if 300 <= exchange.status < 400:
        location = "" if exchange.redirect is None else exchange.redirect.location
        return Outcome(K.REDIRECTED, message=visible(location, _SHORT))
    if exchange.status >= 400:
        return _refused(exchange, exchange.status)
    return None


def _page_message(exchange: Exchange) -> str:
    title = title_of(exchange.body)
    if title:
        return visible(title, _SHORT)
    return visible(" ".join(exchange.body.split()), _SHORT)


def _refused(exchange: Exchange, status: int) -> Outcome:
    value = parse(exchange.body)
    if value is NotJson and status < 500 and is_firewall(exchange.body):
        return Outcome(K.WEB_PAGE, message=_page_message(exchange))
    if value is NotJson and is_html(exchange.body, exchange.content_type):
        return Outcome(_page_kind(exchange, status), message=_page_message(exchange))
    error = error_of(value if value is not NotJson else exchange.body) or ErrorBody()
    if status == 403 and value is NotJson:
        # No API's words: whoever wrote this need not have looked at the key.
        return _failed(K.BAD_REQUEST, error, exchange)
    return _failed(None, error, exchange)


def _page_kind(exchange: Exchange, status: int) -> OutcomeKind:
    """A page with a bad status: a server's own page for that status, or a firewall's."""
    if not exchange.body.strip():
        return by_status(status)
    if status in (401, 402, 404, 405, 410, 413, 429) or status >= 500:
        return by_status(status)
    return K.WEB_PAGE


def _failed(kind: OutcomeKind | None, error: ErrorBody, exchange: Exchange) -> Outcome:
    """An error in words; ``kind`` None: the words and the status say which."""
    status = exchange.status or 0
    asked = exchange.request_max_tokens
    said = error.said
    limit = requested = None
    found = by_words(status, said, BEFORE_BUDGET)
    if found is None and (status not in (401, 429)):
        budget = budget_of(said, asked)
        if budget is not None:
            found, limit, requested = budget.kind, budget.limit, budget.requested
    found = found or by_words(status, said, AFTER_BUDGET)
    param = param_of(error)
    if found is None and status in (400, 422) and param not in _ALWAYS_THERE:
        found = None if _LACKING.search(said) else K.PARAMETER_REFUSED
    return Outcome(
        kind=kind or found or by_status(status),
        message=visible(error.message, 1_000),
        error_type=visible(error.type, _SHORT),
        error_code=visible(error.code, _SHORT),
        param=visible(param, _SHORT),
        limit=limit,
        requested=requested,
        served=served_in(error),
        retry_after=exchange.headers.get("retry-after"),
    )


def _shape(exchange: Exchange, text: str) -> Outcome | None:
    """A good status without a JSON body; None where there is one, or where it broke off."""
    if not text.strip() and exchange.body_bytes == 0:
        return Outcome(K.EMPTY_BODY)
    if not text.strip():
        return Outcome(K.EMPTY_BODY, oddities=("blank",))
    if is_html(text, exchange.content_type):
        return Outcome(K.WEB_PAGE, message=_page_message(exchange))
    return None


def _whole(exchange: Exchange, protocol: Protocol, text: str) -> Outcome:
    shape = _shape(exchange, text)
    if shape is not None:
        stalled = exchange.streamed and shape.kind is K.EMPTY_BODY and not exchange.complete
        return Outcome(K.STREAM_BROKEN, oddities=("no-events",)) if stalled else shape
    value = parse(text)
    if value is NotJson:
        return _not_json(exchange, text)
    error = error_in_success(value)
    if error is not None:
        return _failed(K.ERROR_IN_SUCCESS, error, exchange)
    if not isinstance(value, dict):
        return Outcome(
            K.NO_CHOICES, message=visible(text.strip(), _SHORT), oddities=(_type(value),)
        )
    inner = error_in_choice(value)
    if inner is not None:
        return _failed(K.ERROR_IN_SUCCESS, error_of({"error": inner}) or ErrorBody(), exchange)
    answer = answer_in(value, protocol)
    if answer is None:
        return Outcome(K.NO_CHOICES, model=model_of(value))
    kind = K.ANSWERED if answer.text or answer.other else K.CONTENT_EMPTY
    oddities: tuple[str, ...] = ()
    if exchange.streamed:
        # The SDKs take a body that is no stream for a stream without a single chunk (§2.3).
        kind, oddities = K.STREAM_BROKEN, ("json-unasked",)
    return Outcome(
        kind=kind,
        model=None if answer.model is None else visible(answer.model, _SHORT),
        text=visible(answer.text, _TEXT),
        reasoning=answer.reasoning,
        finish_reason=answer.finish,
        oddities=oddities,
    )


def _not_json(exchange: Exchange, text: str) -> Outcome:
    start = visible(text.strip(), _SHORT)
    if _EVENTS.match(text) and not exchange.streamed:
        return Outcome(K.NOT_JSON, message=start, oddities=("sse-unasked",))
    broken = text.lstrip()[:1] in ("{", "[")
    return Outcome(K.NOT_JSON, message=start, oddities=("truncated",) if broken else ())


def _type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case list():
            return "array"
        case str():
            return "string"
    return "scalar"


def _stream(exchange: Exchange, protocol: Protocol) -> Outcome:
    told = told_by(exchange.events, protocol)
    if not (told.ended or told.finish or told.error or exchange.cancelled):
        told.odd("ended-early")
    if told.content:
        kind = K.ANSWERED
    elif told.error is not None:
        kind = K.STREAM_BROKEN
    elif told.finish or (told.ended and told.delta):
        kind = K.CONTENT_EMPTY
    elif not told.delta and (told.ended or "choices-missing" in told.oddities):
        kind = K.NO_CHOICES
    else:
        kind = K.STREAM_BROKEN
    if kind is K.ANSWERED and not told.text and not told.other and not exchange.cancelled:
        # Reasoning alone, and the stream is over: nothing that a user would see.
        kind = K.CONTENT_EMPTY
    failed = Outcome(kind)
    if told.error is not None:
        failed = _failed(kind, told.error, exchange)
    return Outcome(
        kind=kind,
        message=failed.message,
        error_type=failed.error_type,
        error_code=failed.error_code,
        param=failed.param,
        limit=failed.limit,
        requested=failed.requested,
        served=failed.served,
        model=None if told.model is None else visible(told.model, _SHORT),
        text=visible(told.text, _TEXT),
        reasoning=told.reasoning,
        finish_reason=told.finish,
        oddities=tuple(told.oddities),
    )
