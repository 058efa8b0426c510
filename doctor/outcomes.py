"""Which hop an outcome speaks of, and whether a change did away with the fault of its layer."""

from __future__ import annotations

import json

from doctor.connection import SettingName
from doctor.facts.answers import Outcome, OutcomeKind, Reply
from doctor.facts.network import TransportFault
from doctor.models import Answer, Hop
from doctor.text import Text, _

K = OutcomeKind
F = TransportFault

_TRANSPORT_HOPS = {
    F.ILLEGAL_HEADER: Hop.CONFIGURATION,
    F.ENCODING: Hop.CONFIGURATION,
    F.INVALID_URL: Hop.CONFIGURATION,
    F.PROXY_SETTING: Hop.PROXY,
    F.PROXY_UNREACHABLE: Hop.PROXY,
    F.PROXY_REFUSES: Hop.PROXY,
    F.DNS: Hop.DNS,
    F.REFUSED: Hop.TCP,
    F.CONNECT_TIMEOUT: Hop.TCP,
    F.TLS_UNTRUSTED: Hop.TLS,
    F.TLS_NAME_OR_DATE: Hop.TLS,
    F.TLS_TO_PLAIN: Hop.TLS,
    F.TLS_SETTING: Hop.TLS,
    F.TLS_OTHER: Hop.TLS,
    F.PLAIN_TO_TLS: Hop.TLS,
    F.READ_TIMEOUT: Hop.GATEWAY,
    F.RESET: Hop.GATEWAY,
    F.PROTOCOL: Hop.GATEWAY,
    F.OTHER: Hop.GATEWAY,
}

PLACE = frozenset({K.REDIRECTED, K.WEB_PAGE, K.NOT_FOUND, K.NOT_SERVED})
KEY = frozenset({K.KEY_MISSING, K.KEY_REFUSED})
MODEL = frozenset({K.MODEL_UNKNOWN, K.MODEL_MISSING, K.NO_CHANNEL})
BUDGET = frozenset(
    {
        K.MAX_TOKENS_REFUSED,
        K.MAX_TOKENS_NOT_POSITIVE,
        K.THINKING_REFUSED,
        K.PROMPT_TOO_LONG,
    }
)
_GATEWAY = PLACE | KEY | {K.PERMISSION, K.QUOTA, K.RATE_LIMITED}


def hop_of(reply: Reply) -> Hop:
    """The hop whose fault the reply tells; ENGINE for one that answered."""
    kind = reply.outcome.kind
    if kind is K.TRANSPORT:
        return _TRANSPORT_HOPS[reply.exchange.fault or F.OTHER]
    if kind is K.PROXY_PAGE:
        return Hop.PROXY
    if kind in _GATEWAY:
        return Hop.GATEWAY
    return Hop.ROUTE if kind in MODEL else Hop.ENGINE


def resolves(setting: SettingName, before: Reply, after: Reply) -> bool:
    """Whether changing ``setting`` did away with the fault of that setting's own layer.

    The request need not answer yet: behind a wrong key there may be a wrong model. But a change
    that makes the request fail earlier than before resolves nothing.
    """
    if after.outcome.kind is K.ANSWERED:
        return True
    if setting in (SettingName.KEY, SettingName.AUTH, SettingName.SECOND_KEY):
        # A gateway looks at the key before it looks at the path or after it, so any other
        # fault that a server told counts.
        return after.exchange.status is not None and after.outcome.kind not in KEY
    if setting is SettingName.BASE_URL:
        if before.outcome.kind in KEY and after.outcome.kind in KEY:
            # An API's own refusal once more: the key is what it refuses, at either path.
            return not has_error_object(before)
        moved_on = after.exchange.status is not None and after.outcome.kind not in PLACE
        return moved_on and after.outcome.kind is not K.PROXY_PAGE
    if setting is SettingName.MODEL:
        return hop_of(after) is Hop.ENGINE
    if setting is SettingName.MAX_TOKENS:
        return hop_of(after) is Hop.ENGINE and after.outcome.kind not in BUDGET
    return hop_of(after).order > hop_of(before).order


def has_error_object(reply: Reply) -> bool:
    """The body has the shape of an API's error: ``{"error": {…}}``."""
    try:
        body = json.loads(reply.exchange.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and isinstance(body.get("error"), dict)


def answer_of(reply: Reply) -> Answer:
    """The reply in one line: its status, or the error that came in its place."""
    exchange, outcome = reply.exchange, reply.outcome
    answered = outcome.kind is K.ANSWERED
    error = None if answered else told(reply)
    return Answer(exchange.status, error, exchange.ms_total, answered, exchange.purpose)


def told(reply: Reply) -> str:
    """What a request that failed was told: the server's words, the error, else what came."""
    exchange, outcome = reply.exchange, reply.outcome
    # Servers' own pages are titled "403 Forbidden", and the status is said already.
    message = outcome.message.removeprefix(f"{exchange.status} ")
    if exchange.fault is not None:
        message = fault_words(message)
    message = message or fault_words(exchange.fault_text)
    return message or _WORDLESS.get(outcome.kind, outcome.kind.value)


def fault_words(text: str) -> str:
    """A fault of transport, kept as text, as the message that it was written from where it is one
    of kvdoctor's own: translatable again."""
    head, within, limit = text.rpartition(" within ")
    message = f"{head}{within}{{limit}}"
    return Text(message, limit=limit) if message in _TIMED_OUT else text


# The sentences of ``doctor.probes.faults``.
_TIMED_OUT = frozenset(
    {
        _("no connection to the proxy within {limit}"),
        _("no connection within {limit}"),
        _("no TLS handshake within {limit}"),
        _("the proxy opened no connection to the target within {limit}"),
        _("no answer within {limit}"),
    }
)

_WORDLESS = {
    K.PROXY_PAGE: _("an answer of the proxy, without a word"),
    K.WEB_PAGE: _("a web page"),
    K.EMPTY_BODY: _("an empty body"),
    K.CONTENT_EMPTY: _("an answer without content"),
    K.NO_CHOICES: _("a body without an answer in it"),
    K.NOT_JSON: _("a body that is no JSON"),
    K.STREAM_BROKEN: _("a stream without an answer in it"),
    K.ERROR_IN_SUCCESS: _("an error without a word"),
    K.RATE_LIMITED: _("too many requests"),
    K.NOT_FOUND: _("nothing is there"),
    K.KEY_REFUSED: _("the key is refused"),
    K.KEY_MISSING: _("a key is asked for"),
    K.SERVER_ERROR: _("a fault of the server"),
    K.UPSTREAM_UNREACHABLE: _("a fault behind the gateway"),
    K.REDIRECTED: _("a redirect"),
}


def answered(outcome: Outcome) -> bool:
    return outcome.kind is K.ANSWERED
