"""KVD111: the server refuses the key as it is sent."""

from __future__ import annotations

import datetime
import re
import urllib.parse
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    listed,
    problem,
    visible,
)
from doctor.connection import Connection
from doctor.facts.answers import OutcomeKind, Product, Reply, TokenState
from doctor.outcomes import has_error_object
from doctor.patterns import Pattern
from doctor.settings.providers import provider_for_host

from ._key_text import before_comment, body, is_empty, is_url
from ._placeholder import is_placeholder, stands_for_no_key
from ._show import host_of, key_evidence, place
from ._sources import origin_of
from ._verdict import WANTS, KeyState, key_verdict

CODE = "KVD111"
_BODY_LENGTH = 48  # of a stock new-api or one-api key behind "sk-"
_STOCK = Pattern(r"(?:sk-)?([A-Za-z0-9]+)")
_TWICE = Pattern(r"(.{12,})\1", re.S)
_PREFIXES_TWICE = Pattern(r"(?:sk-){2,}", re.I)
_JUNK_BEHIND = Pattern(r"[,;.)\]}>]+\Z")
_SHOWN_BY_SERVER = Pattern(r"\S*[*•…]{2,}([A-Za-z0-9_-]{3,4})\b")

_SAYS_EXPIRED = Pattern(r"expired|已过期|过期", re.I)
_SAYS_EXHAUSTED = Pattern(r"exhausted|已用尽|用尽", re.I)
_SAYS_DISABLED = Pattern(r"disabled|deactivated|revoked|blocked|状态不可用|已禁用|被禁用", re.I)


@check(
    code=CODE,
    slug="key-rejected",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    wants=(facts.PRODUCT, facts.TOKEN_STATE, *WANTS),
)
async def key_rejected(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server refuses the key, and there is nothing wrong with how it is written.

    What it checks: whether completion or models list were answered "no such key". Keys with a
    fault of shape are left to the checks of that fault. Where a gateway tells the state of a
    key, it is asked.

    Why it matters: new-api answers a key that is unknown, expired, exhausted or disabled with
    one and the same text; what the reader has to do differs.

    How to fix: renew, extend or recharge the key, or copy it again, as the explanation says.

    Fix safety: only slips of copying are tried: the key written twice, its prefix doubled, a
    comma behind it.

    References: facts/gateway-clients.md on error texts and on `GET /api/usage/token/`
    """
    setting = f.connection.key
    text = "" if setting is None else setting.value.reveal()
    if setting is None or is_empty(text):
        raise NotApplicable("no key is sent")
    if _is_told_elsewhere(text):
        raise NotApplicable("the key is not sent as it is meant")
    verdict = await key_verdict(f)
    if verdict.state is not KeyState.REFUSED or verdict.reply is None:
        return
    reply = verdict.reply
    host = host_of(f.connection)
    product = await f.find(facts.PRODUCT)
    state = await f.find(facts.TOKEN_STATE)
    models = await f.find(facts.MODELS)
    listed = (
        models is not None
        and models.reply.outcome.kind is OutcomeKind.ANSWERED
        and models.reply is not reply
    )
    slips = _slips(text)
    meaning = (
        _other_key(reply, text, host)
        or _state(state, reply, host)
        or (_listed(host) if listed else "")
        or _length(text, product)
        or _unknown(host, bool(slips))
    )
    yield problem(
        _("{host} refuses the key", host=host),
        _(
            "The key {key} from {place} is sent as it should be. {meaning}",
            key=setting.value.masked,
            place=place(origin_of(setting)),
            meaning=meaning,
        ),
        evidence=(key_evidence(setting), _answer(reply), *_told(state)),
        changes=slips,
        confidence=Confidence.HIGH,
        explains=_faint(reply, f.connection),
    )


def _faint(reply: Reply, connection: Connection) -> tuple[str, ...]:
    """A version that may be missing as well, as long as no request proves it: where an API refuses
    the key in its own words, nothing else speaks for that."""
    try:
        host = urllib.parse.urlsplit(connection.base_url.value).hostname
    except ValueError:
        return ()
    unknown = host is not None and provider_for_host(host) is None
    return ("KVD201",) if unknown and has_error_object(reply) else ()


def _is_told_elsewhere(text: str) -> bool:
    """A fault of shape explains the refusal better (101 to 107, 112)."""
    return (
        body(text) != text
        or not text.isascii()
        or any(char.isspace() for char in text)
        or before_comment(text) is not None
        or is_url(text)
        or is_placeholder(text)
        or stands_for_no_key(text)
    )


def _slips(text: str) -> tuple[Change, ...]:
    """What a slip of copying would have made of the real key."""
    found: dict[str, Text] = {}
    twice = _TWICE.fullmatch(text)
    if twice:
        found.setdefault(twice.group(1), _("write the key once"))
    doubled = _PREFIXES_TWICE.match(text)
    if doubled:
        found.setdefault("sk-" + text[doubled.end() :], _('write "sk-" once'))
    shorter = _JUNK_BEHIND.sub("", text)
    if shorter != text and shorter:
        found.setdefault(shorter, _("drop what stands behind the key"))
    return tuple(
        Change(CODE, SettingName.KEY, Secret(key), title, guess=True, rank=rank)
        for rank, (key, title) in enumerate(found.items())
    )


def _other_key(reply: Reply, text: str, host: str) -> str:
    """The server names the end of a key that it refuses, and it is not the end of this one."""
    match = _SHOWN_BY_SERVER.search(reply.outcome.message)
    if match is None or text.endswith(match.group(1)):
        return ""
    return _(
        "But the answer speaks of a key that ends in {end}, and this one does not: likely {host} "
        "took this key and is itself refused by the server behind it. That is for whoever runs "
        "{host} to repair.",
        end=match.group(1),
        host=host,
    )


def _state(state: TokenState | None, reply: Reply, host: str) -> str:
    said = reply.outcome.message
    if (state is not None and state.expired) or _SAYS_EXPIRED.search(said):
        day = _day(state.expires_at) if state is not None else ""
        if day:
            return _(
                "It expired on {day}: extend it at {host}, or make a new one.", day=day, host=host
            )
        return _("It has expired: extend it at {host}, or make a new one.", host=host)
    if (state is not None and state.exhausted) or _SAYS_EXHAUSTED.search(said):
        return _("Its quota is used up: raise the quota of the key at {host}.", host=host)
    if _SAYS_DISABLED.search(said):
        return _("It is disabled: enable it at {host}, or make a new one.", host=host)
    if state is not None and state.expired is False:
        name = f' "{visible(state.name, 60)}"' if state.name else ""
        return _(
            "{host} knows it{name}, and it is neither expired nor used up: likely it is "
            "disabled, or not allowed for this address.",
            host=host,
            name=name,
        )
    return ""


def _listed(host: str) -> str:
    return _(
        "{host} gives out its list of models with it, and refuses it for the request itself: "
        "likely the key is good, and another rule refuses it there.",
        host=host,
    )


def _length(text: str, product: Product | None) -> str:
    """A stock key that was cut when it was copied. Forks make keys of other lengths."""
    match = _STOCK.fullmatch(text)
    if product is None or product.id not in ("new-api", "one-api") or match is None:
        return ""
    length = len(match.group(1))
    if length >= _BODY_LENGTH:
        return ""
    return _(
        'It has {n} characters behind "sk-", where keys of {product} have {usual}: likely it was '
        "cut when it was copied.",
        n=length,
        product=product.id,
        usual=_BODY_LENGTH,
    )


def _unknown(host: str, slips: bool) -> str:
    if slips:
        return _("{host} does not know it: likely it was not copied as it is.", host=host)
    return _(
        "{host} does not know it: it was deleted or replaced, or belongs to another server. Copy "
        "it again or make a new one.",
        host=host,
    )


def _answer(reply: Reply) -> Evidence:
    said = f"{reply.exchange.status} {reply.outcome.message}".strip()
    return Evidence(_("answer"), visible(reply.exchange.url, 120), visible(said, 240))


def _told(state: TokenState | None) -> tuple[Evidence, ...]:
    if state is None:
        return ()
    parts: list[str] = []
    if state.name:
        parts.append(_("name: {name}", name=visible(state.name, 60)))
    if state.expires_at and _day(state.expires_at):
        parts.append(_("expires: {day}", day=_day(state.expires_at)))
    if state.unlimited:
        parts.append(_("quota: unlimited"))
    elif state.available is not None:
        parts.append(_("quota left: {amount}", amount=f"{state.available:,.12g}"))
    if state.text and not parts:
        parts.append(visible(state.text, 200))
    return (Evidence(_("state of the key"), state.source, listed(parts)),) if parts else ()


def _day(timestamp: int | None) -> str:
    """The day in UTC, "" for none (0 and -1 stand for "never")."""
    if timestamp is None or timestamp <= 0:
        return ""
    try:
        moment = datetime.datetime.fromtimestamp(timestamp, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return moment.date().isoformat()
