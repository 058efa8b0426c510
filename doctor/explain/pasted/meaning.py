"""What a pasted answer means, by the classifier that judges the doctor's own requests."""

from __future__ import annotations

import json
from collections.abc import Callable

from doctor.connection import Protocol
from doctor.explain.model import Cause
from doctor.explain.pasted.bodies import Body
from doctor.facts.answers import Exchange, Outcome, OutcomeKind
from doctor.facts.network import Redirect
from doctor.firewalls import is_firewall
from doctor.login_words import BEARER_REFUSED, CREDIT_IS_LOW, EXPIRED_LOGIN
from doctor.private_words import refuses_private
from doctor.probes.classify import classify
from doctor.probes.reading.errorbody import error_in_success
from doctor.probes.reading.jsontext import parse, parse_object
from doctor.probes.reading.refusals import by_status
from doctor.records import dataclass
from doctor.text import Text, _

K = OutcomeKind
# Words that the dictionary reads in the line itself.
_DICTIONARY = (
    EXPIRED_LOGIN.search,
    BEARER_REFUSED.search,
    CREDIT_IS_LOW.search,
    refuses_private,
)
# An error without its status is read as one of the request, then as one of the server.
_GUESSED = (400, 503)
_WORDLESS = frozenset({K.BAD_REQUEST, K.SERVER_ERROR})
# These say by themselves what is wrong; other statuses only say that something is.
_TELLING_STATUSES = frozenset({402, 407, 429})


@dataclass(frozen=True, slots=True)
class Meaning:
    """``generic``: the status says it, no word of the body does."""

    text: Text
    causes: tuple[Cause, ...]
    generic: bool = False


def meaning_of(body: Body) -> Meaning | None:
    """What the answer means; None where it is sound or says nothing, or where the dictionary knows
    its very words."""
    if any(knows(body.text) for knows in _DICTIONARY):
        return None
    if body.events:
        return _of_stream(body)
    value = parse(body.text)
    if not isinstance(value, dict):
        return _of_text(body)
    if error_in_success(value) is None:
        return _of_answer(body)
    if body.status is not None:
        return _told(classify(_exchange(body, body.status), Protocol.OPENAI_CHAT), body.status)
    for status in _GUESSED:
        outcome = classify(_exchange(body, status), Protocol.OPENAI_CHAT)
        if outcome.kind not in _WORDLESS:
            return _told(outcome, None)
    return None


def _exchange(body: Body, status: int, events: tuple[str, ...] = ()) -> Exchange:
    location = body.headers.get("location")
    return Exchange(
        purpose="pasted",
        method="POST",
        url="",
        status=status,
        headers=body.headers,
        body=body.text,
        body_bytes=len(body.text.encode("utf-8", "replace")),
        events=events,
        streamed=bool(events),
        # An excerpt: that it ends early says nothing.
        cancelled=bool(events),
        redirect=None if location is None else Redirect(status, location, same_origin=False),
    )


def _of_text(body: Body) -> Meaning | None:
    status = body.status if body.status is not None else 200
    if (not body.text and status < 300) or is_firewall(body.text):
        return None  # the dictionary knows a firewall by its words
    return _told(classify(_exchange(body, status), Protocol.OPENAI_CHAT), body.status)


def _of_answer(body: Body) -> Meaning | None:
    """A completion, a part of one, or an answer with a bad status that claims no error."""
    value = parse_object(body.text)
    kind = str(value.get("object", ""))
    if body.status is not None and body.status >= 400 and "choices" not in value:
        return _told(classify(_exchange(body, body.status), Protocol.OPENAI_CHAT), body.status)
    protocol = _protocol_of(value, kind)
    if protocol is Protocol.OPENAI_CHAT and (kind.endswith(".chunk") or _is_chunk(value)):
        return _of_stream(Body(body.line, "", 200, events=(json.dumps(value),)))
    return _told(classify(_exchange(body, 200), protocol), 200)


def _protocol_of(value: dict[str, object], kind: str) -> Protocol:
    if kind == "response":
        return Protocol.OPENAI_RESPONSES
    messages = kind == "" and ("content" in value or value.get("type") == "message")
    return Protocol.ANTHROPIC_MESSAGES if messages else Protocol.OPENAI_CHAT


def _is_chunk(value: dict[str, object]) -> bool:
    """Azure's first chunk and usage of its own carry no ``object``."""
    filtered = "prompt_filter_results" in value or "prompt_annotations" in value
    return filtered or ("usage" in value and "choices" not in value)


def _of_stream(body: Body) -> Meaning | None:
    # Node's and Python's programs read choices[0] of every chunk.
    outcome = classify(_exchange(body, 200, body.events), Protocol.OPENAI_CHAT)
    if "error-event" in outcome.oddities:
        return _error_in_success(outcome)
    if set(outcome.oddities) & _CHOICELESS:
        return Meaning(
            _("a chunk of the stream has no choices to read"),
            (
                Cause("KVD512", 0.85, _("does the program skip chunks without choices?")),
                Cause("KVD510", 0.15, _("without a stream: the server sent no choices")),
            ),
        )
    if outcome.kind is K.CONTENT_EMPTY:
        return _empty(outcome)
    return None


_CHOICELESS = frozenset(
    {"usage-only", "empty-choices", "null-choices", "choices-missing", "choice-without-delta"}
)


def _told(outcome: Outcome, status: int | None) -> Meaning | None:
    if outcome.kind is K.ERROR_IN_SUCCESS:
        return _error_in_success(outcome)
    if outcome.kind is K.CONTENT_EMPTY:
        return _empty(outcome)
    make = _BY_KIND.get(outcome.kind)
    if make is None:
        return None
    wordless = status is not None and outcome.kind is by_status(status)
    generic = wordless and status not in _TELLING_STATUSES
    made = make(outcome)
    return Meaning(made.text, made.causes, generic)


def _error_in_success(outcome: Outcome) -> Meaning:
    """Status 200, and an error in the body: the error is what is wrong, 200 what hides it."""
    hidden = Cause("KVD511", 0.6, _("the status is 200: a program must look at error first"))
    inner = _words_of(outcome)
    causes = () if inner is None else tuple(c for c in inner.causes if c.likelihood >= _LIKELY)
    return Meaning(_("an error came with status 200"), (*causes, hidden))


_LIKELY = 0.5


def _words_of(outcome: Outcome) -> Meaning | None:
    """The error by its words alone."""
    error = {"message": outcome.message, "type": outcome.error_type, "code": outcome.error_code}
    body = Body(0, json.dumps({"error": error}), _status_of(outcome))
    return meaning_of(body)


def _status_of(outcome: Outcome) -> int | None:
    code = outcome.error_code
    return int(code) if code.isdecimal() and 400 <= int(code[:4]) < 600 else None


def _empty(outcome: Outcome) -> Meaning:
    if outcome.finish_reason in ("length", "max_tokens"):
        return Meaning(
            _("the budget ended before the answer began"),
            (
                Cause("KVD605", 0.75, _("the thinking took max_tokens up: raise it")),
                Cause("KVD513", 0.25, _("print the message: which of its fields is filled?")),
            ),
        )
    return Meaning(
        _("the answer has no content"),
        (
            Cause("KVD513", 0.6, _("print the message: which of its fields is filled?")),
            Cause("KVD605", 0.4, _("does the model think? Then a larger max_tokens helps")),
        ),
    )


def _fixed(text: Text, *causes: Cause) -> Callable[[Outcome], Meaning]:
    return lambda outcome: Meaning(text, causes)


def _no_choices(outcome: Outcome) -> Meaning:
    return Meaning(
        _("the answer has no choices"),
        (
            Cause("KVD510", 0.75, _("the body itself: choices is missing, null or empty")),
            Cause("KVD512", 0.2, _("does it happen in a stream?")),
        ),
    )


_LIST = _("compare with the ids of GET BASE/models, letter by letter")

_BY_KIND: dict[OutcomeKind, Callable[[Outcome], Meaning]] = {
    K.REDIRECTED: _fixed(
        _("the server sends the request elsewhere"),
        Cause("KVD207", 0.7, _("write the address of the redirect into the base URL")),
        Cause("KVD210", 0.3, _("a redirect to a login page is a website's")),
    ),
    K.PROXY_PAGE: _fixed(
        _("a proxy answered, not the server"),
        Cause("KVD307", 0.9, _("the proxy wants a login, or refuses the host")),
    ),
    K.WEB_PAGE: _fixed(
        _("a web page came back where JSON is due"),
        Cause("KVD201", 0.45, _("does the base URL end in /v1?")),
        Cause("KVD210", 0.35, _("the address may be the website's, not the API's")),
        Cause("KVD202", 0.2, _("does this gateway serve under /api?")),
    ),
    K.NOT_FOUND: _fixed(
        _("the server answers, but knows no such path"),
        Cause("KVD201", 0.4, _("does the base URL end in /v1?")),
        Cause("KVD202", 0.2, _("does this gateway serve under /api?")),
        Cause("KVD211", 0.2, _("the version or path of another provider")),
    ),
    K.NOT_SERVED: _fixed(
        _("the server lacks this API"),
        Cause("KVD214", 0.85, _("ask for chat completions, or use a gateway that translates")),
    ),
    K.KEY_MISSING: _fixed(
        _("the server saw no key"),
        Cause("KVD101", 0.6, _("the client has no key")),
        Cause("KVD114", 0.2, _("the key travels in another header than the server reads")),
        Cause("KVD109", 0.15, _("the configuration names a variable that is not set")),
    ),
    K.KEY_REFUSED: _fixed(
        _("the server refuses the key"),
        Cause("KVD111", 0.5, _("does the key work with curl, typed by hand?")),
        Cause("KVD108", 0.15, _("is it the key of another provider?")),
        Cause("KVD102", 0.1, _("is there a blank or line break at its end?")),
    ),
    K.PERMISSION: _fixed(
        _("the key is good, but not for this"),
        Cause("KVD115", 0.85, _("the text names the limit: model, group, address list")),
    ),
    K.QUOTA: _fixed(
        _("the key is good; its balance is not enough"),
        Cause("KVD115", 0.95, _("the amounts stand in the text or in the console")),
    ),
    K.RATE_LIMITED: _fixed(
        _("the server limits the rate"),
        Cause("KVD331", 0.85, _("does it name a time to wait?")),
        Cause("KVD115", 0.15, _("some servers answer 429 when the balance is used up")),
    ),
    K.MODEL_UNKNOWN: _fixed(
        _("the server does not serve a model of that name"),
        Cause("KVD501", 0.55, _LIST),
        Cause("KVD502", 0.45, _("case, a vendor prefix or a path may be all that differs")),
    ),
    K.MODEL_MISSING: _fixed(
        _("the request names no model"),
        Cause("KVD503", 0.85, _("is the model variable set and read?")),
    ),
    K.NO_CHANNEL: _fixed(
        _("the gateway has no channel for this model in this key's group"),
        Cause("KVD505", 0.5, _("is the model in the models list of this key?")),
        Cause("KVD501", 0.35, _("if not: is the id spelled as the list has it?")),
    ),
    K.MAX_TOKENS_REFUSED: _fixed(
        _("max_tokens is larger than the model allows"),
        Cause("KVD601", 0.75, _("the text names the largest value")),
        Cause("KVD604", 0.25, _("is the value the client's own default, such as 32000?")),
    ),
    K.MAX_TOKENS_NOT_POSITIVE: _fixed(
        _("max_tokens is not positive"),
        Cause("KVD606", 0.9, _("where is 0 set?")),
    ),
    K.THINKING_REFUSED: _fixed(
        _("the thinking's budget is not below max_tokens"),
        Cause("KVD605", 0.8, _("raise max_tokens, or lower the thinking's budget")),
        Cause("KVD604", 0.2, _("is max_tokens the client's own default?")),
    ),
    K.PROMPT_TOO_LONG: _fixed(
        _("the prompt does not fit into the window"),
        Cause("KVD602", 0.85, _("compare the prompt's tokens with max_model_len")),
        Cause("KVD603", 0.15, _("client and server may hold different limits")),
    ),
    K.PARAMETER_REFUSED: _fixed(
        _("the server does not take a parameter of the request"),
        Cause("KVD516", 0.9, _("the text names the parameter and often the one to use")),
    ),
    K.UPSTREAM_UNREACHABLE: _fixed(
        _("a gateway answers; what stands behind it does not"),
        Cause("KVD330", 0.75, _("does the backend answer when asked directly?")),
        Cause("KVD302", 0.15, _("is the target local, and does a proxy take its traffic?")),
    ),
    K.SERVER_ERROR: _fixed(
        _("the server failed by itself"),
        Cause("KVD330", 0.6, _("does the backend answer when asked directly?")),
    ),
    K.NO_CHOICES: _no_choices,
    K.NOT_JSON: _fixed(
        _("the body is no JSON"),
        Cause("KVD510", 0.5, _("print the whole body")),
        Cause("KVD201", 0.3, _("does the base URL end in /v1?")),
    ),
}
