"""KVD515."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import Exchange, Outcome, OutcomeKind
from doctor.token_usage import JSON_UNASKED

# Far below what a model needs for so many tokens; only a buffer hands them over at once.
_AT_ONCE_MS = 5
_AT_ONCE_EVENTS = 8
_LONG_WAIT_MS = 1_000


@check(
    code="KVD515",
    slug="stream-broken",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
)
async def stream_broken(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A stream ends early, holds an error, never starts or arrives all at once.

    What it checks: the doctor's own short stream: whether it has events, ends with a
    finish_reason and `[DONE]` (`message_stop`, `response.completed`), and carries no error event.

    Why it matters: after the headers the status stays 200, so a stream that just stops raises
    nothing in openai-python and openai-node: the answer is cut or empty without a word.

    How to fix: an error event says what failed behind the gateway. A stream that stops or
    arrives at once points at what passes it on: switch off buffering there (nginx:
    proxy_buffering off) and raise its read timeout.

    Fix safety: nothing is changed.

    References: facts/gateway-clients.md §§1.3, 2.3.
    """
    reply = await f.get(facts.COMPLETION)
    outcome, exchange = reply.outcome, reply.exchange
    if not exchange.streamed and outcome.kind is not OutcomeKind.STREAM_BROKEN:
        raise NotApplicable("no stream was asked for")
    empty = outcome.kind is OutcomeKind.EMPTY_BODY
    if empty and exchange.content_type == "text/event-stream":
        yield _no_event(exchange)
    elif outcome.kind is OutcomeKind.STREAM_BROKEN:
        yield _broken(outcome, exchange)
    elif outcome.kind is OutcomeKind.ANSWERED and not exchange.cancelled:
        if "error-event" in outcome.oddities:
            yield _error_event(outcome, exchange)
        elif "ended-early" in outcome.oddities:
            yield _ended_early(exchange, Severity.WARNING)
        elif _at_once(exchange):
            yield _buffered(exchange)


def _broken(outcome: Outcome, exchange: Exchange) -> Finding:
    if JSON_UNASKED in outcome.oddities:
        return _whole(exchange)
    if "error-event" in outcome.oddities or outcome.error_type or outcome.error_code:
        return _error_event(outcome, exchange)
    if not exchange.events:
        return _no_event(exchange)
    if outcome.message and "ended-early" not in outcome.oddities:
        return _error_event(outcome, exchange)
    return _ended_early(exchange, Severity.ERROR)


def _whole(exchange: Exchange) -> Finding:
    return problem(
        _("A stream was asked for and a whole answer came"),
        _(
            "stream is true and the answer is {kind}. openai-python and openai-node give no chunk"
            ' and no error for it, LangChain "No generation chunks were returned". A program that'
            " does not stream gets its answer; for the others the gateway has to pass stream on.",
            kind=exchange.content_type or _("no content type"),
        ),
        evidence=_evidence(exchange),
    )


def _no_event(exchange: Exchange) -> Finding:
    if not exchange.complete:
        return problem(
            _("The stream never starts"),
            _(
                "Status {status} came after {headers} ms and not one event within {ms} ms"
                " ({reason}). What is behind the gateway likely hangs, or something on the way"
                " holds the stream back.",
                status=exchange.status,
                headers=f"{exchange.ms_headers:,}",
                reason=exchange.fault_text or _("nothing came"),
                ms=f"{exchange.ms_total:,}",
            ),
            evidence=_evidence(exchange),
        )
    return problem(
        _("The stream ended without a single event"),
        _(
            "Status {status}, {kind}, {n} bytes. openai-python and openai-node give no chunk and no"
            ' error, LangChain "No generation chunks were returned". What is behind the gateway'
            " likely closed the connection.",
            status=exchange.status,
            kind=exchange.content_type or _("no content type"),
            n=f"{exchange.body_bytes:,}",
        ),
        evidence=_evidence(exchange),
    )


def _error_event(outcome: Outcome, exchange: Exchange) -> Finding:
    message = outcome.message or outcome.error_code or outcome.error_type
    if not message:
        message = next((visible(e, 200) for e in exchange.events if '"error"' in e), "")
    return problem(
        _("The stream carries an error: {message}", message=message),
        _(
            "It came after the status {status}, so the SDKs raise it as APIError in the middle of"
            " the stream. The message is that of the server or of what is behind it.",
            status=exchange.status,
        ),
        evidence=_evidence(exchange),
    )


def _ended_early(exchange: Exchange, severity: Severity) -> Finding:
    if not exchange.complete:
        return problem(
            _("The stream breaks off"),
            _(
                "Events until then: {n}; then, {ms} ms after the request: {reason}. What is behind"
                " the gateway likely hangs or failed.",
                n=f"{len(exchange.events):,}",
                ms=f"{exchange.ms_total:,}",
                reason=exchange.fault_text or _("nothing more came"),
            ),
            evidence=_evidence(exchange),
        )
    return problem(
        _("The stream ends without saying that it is done"),
        _(
            "After {n} events in {ms} ms it stops, with neither finish_reason nor end mark. SDKs"
            ' take that for a whole answer; Codex says "stream closed before response.completed",'
            ' Cline "Response stream ended without a finish reason." Something on the way likely'
            " closed it.",
            n=f"{len(exchange.events):,}",
            ms=f"{exchange.ms_total:,}",
        ),
        evidence=_evidence(exchange),
        severity=severity,
    )


def _at_once(exchange: Exchange) -> bool:
    first = exchange.ms_first_event
    return (
        first is not None
        and first >= _LONG_WAIT_MS
        and len(exchange.events) >= _AT_ONCE_EVENTS
        and exchange.ms_total - first <= _AT_ONCE_MS
    )


def _buffered(exchange: Exchange) -> Finding:
    return problem(
        _("The stream likely arrives all at once"),
        _(
            "{n} events came within {spread} ms after a wait of {wait} ms. Something on the way"
            " likely collects the stream before it passes it on; in nginx proxy_buffering off or"
            " the header X-Accel-Buffering: no lets it through. A cached answer looks the same.",
            n=f"{len(exchange.events):,}",
            spread=f"{exchange.ms_total - (exchange.ms_first_event or 0):,}",
            wait=f"{exchange.ms_first_event or 0:,}",
        ),
        evidence=_evidence(exchange),
        severity=Severity.INFO,
        confidence=Confidence.LOW,
    )


def _evidence(exchange: Exchange) -> tuple[Evidence, ...]:
    last: str | Text = visible(exchange.events[-1], 300) if exchange.events else _("(no event)")
    return (Evidence(_("answer"), f"{exchange.method} {exchange.url} → {exchange.status}", last),)
