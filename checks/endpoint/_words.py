"""Sentences that the checks of base URLs share: what was asked, what came back, what to use."""

from __future__ import annotations

from doctor import bases
from doctor.checkapi import Change, Confidence, Evidence, SettingName, _, visible
from doctor.facts.answers import OutcomeKind, Reply
from doctor.urls import read, shown

from ._situation import Situation, Spoken, ToldBy

_FIRST_WORDS = 60


def came_back(s: Situation) -> str:
    """The request with what it brought; empty where none was made."""
    reply = s.reply
    if reply is None or reply.outcome.kind is OutcomeKind.TRANSPORT:
        return ""
    exchange = reply.exchange
    request = f"{exchange.method} {shown(exchange.url)}"
    if exchange.redirect is not None and exchange.redirect.status == exchange.status:
        return _(
            "{request} answered {status} and sends the client to {target}.",
            request=request,
            status=exchange.status,
            target=shown(exchange.redirect.location),
        )
    words = first_words(reply)
    kind = exchange.content_type or _("no content type")
    if not words:
        return _(
            "{request} answered {status} ({type}) without a body.",
            request=request,
            status=exchange.status,
            type=kind,
        )
    return _(
        "{request} answered {status} ({type}): “{words}”.",
        request=request,
        status=exchange.status,
        type=kind,
        words=words,
    )


def first_words(reply: Reply) -> str:
    """The beginning of a body on one line."""
    text = " ".join(reply.exchange.body[:1_000].split())
    return visible(text[:_FIRST_WORDS]) + ("…" if len(text) > _FIRST_WORDS else "")


def reason(s: Situation, spoken: Spoken) -> str:
    """What the fault is known from, where the text of the base does not show it."""
    base = shown(spoken.base or "")
    if spoken.told_by is ToldBy.REDIRECT:
        return _("The server itself names {base}.", base=base) if base else ""
    if spoken.told_by is ToldBy.REPLY:
        return _("That is no answer of an API, so the API is likely at another path of this host.")
    if spoken.told_by is ToldBy.REFUSAL:
        return _("No API refuses a key in these words, so the path is likely not the API's.")
    if spoken.told_by is ToldBy.KEY_FIRST:
        return _(
            "Many servers ask for a key before they look at the path, so this does not say that "
            "the path is right."
        )
    if spoken.told_by is ToldBy.PRODUCT and s.product is not None:
        return _(
            "{product} answers in these words, and it serves this API at {base}.",
            product=s.product.id,
            base=base,
        )
    server = s.likely_server
    if spoken.told_by is ToldBy.PORT and server is not None:
        return _(
            "Port {port} usually belongs to {server}, which serves its API at {base}.",
            port=server.local_port,
            server=server.label,
            base=base,
        )
    return ""


def use(s: Situation, spoken: Spoken) -> str:
    """The exact value for the client that is examined; nothing where no base on this host helps."""
    if spoken.base is None:
        return ""
    if s.convention.takes_endpoint:
        return _(
            "{client} appends nothing, so it wants the whole address: {base}.",
            client=s.client.label,
            base=shown(spoken.base),
        )
    if s.provider is not None:
        return _(
            "At {provider} the base URL for {client} is {base} (it appends {path}).",
            provider=s.provider.label,
            client=s.client.label,
            base=shown(spoken.base),
            path=appended(s),
        )
    if spoken.told_by is ToldBy.TEXT and _lacks_version(s, spoken.base):
        return _("Without that {base} remains, which likely lacks /v1.", base=shown(spoken.base))
    if spoken.guess:
        return _(
            "If so, the base URL for {client} is {base} (it appends {path}).",
            client=s.client.label,
            base=shown(spoken.base),
            path=appended(s),
        )
    return _(
        "The base URL for {client} is {base} (it appends {path}).",
        client=s.client.label,
        base=shown(spoken.base),
        path=appended(s),
    )


def _lacks_version(s: Situation, base: str) -> bool:
    left = read(base).base
    return (
        left is not None and not s.convention.adds_version and not bases.has_version(left.segments)
    )


def for_others(s: Situation, base: str) -> str:
    """Where clients of the other family want another base on the same server."""
    other = bases.OPENAI if s.convention.anthropic else bases.ANTHROPIC
    if s.provider is not None and s.base is not None:
        theirs = s.provider.base(other.protocol, s.base.host)
        if theirs is None or theirs == base:
            return ""
        if s.convention.anthropic:
            return _("OpenAI clients want {base} there.", base=shown(theirs))
        return _("Claude Code and the Anthropic SDKs want {base} there.", base=shown(theirs))
    theirs = bases.base_for(base, s.convention, other)
    if theirs is None or theirs == base:
        return ""
    if s.convention.anthropic:
        return _("OpenAI clients would want it with /v1: {base}.", base=shown(theirs))
    return _(
        "Claude Code and the Anthropic SDKs would want it without /v1: {base}.", base=shown(theirs)
    )


def appended(s: Situation) -> str:
    """What the client appends to its base."""
    return path_of(s.convention.appends)


def path_of(segments: tuple[str, ...]) -> str:
    """``/api/v1``; ``/`` for none."""
    return "/" + "/".join(segments)


def evidence(s: Situation) -> tuple[Evidence, ...]:
    """The setting as it stands, and the request that showed the fault."""
    origin = s.connection.base_url.origin
    setting = Evidence(_("base URL"), str(origin), shown(s.given))
    reply = s.reply
    if reply is None or reply.exchange.status is None:
        return (setting,)
    exchange = reply.exchange
    value = f"{exchange.status} {exchange.content_type} {first_words(reply)}".strip()
    return (setting, Evidence(_("answer"), f"{exchange.method} {shown(exchange.url)}", value))


def confidence(spoken: tuple[Spoken, ...]) -> Confidence:
    """That of the surest."""
    return max(one.confidence for one in spoken)


def consequences(spoken: tuple[Spoken, ...]) -> tuple[str, ...]:
    """What follows from a base that leads nowhere: a page, an answer without choices. A faint
    guess explains nothing until a request proves it."""
    if confidence(spoken) is Confidence.LOW:
        return ()
    return ("KVD210", "KVD510", "KVD511", "KVD515")


def changes(code: str, spoken: tuple[Spoken, ...]) -> tuple[Change, ...]:
    """One change for every base that speaks."""
    return tuple(
        Change(
            code=code,
            setting=SettingName.BASE_URL,
            value=one.base,
            title=_("set the base URL to {base}", base=shown(one.base)),
            guess=one.guess,
            rank=one.rank,
        )
        for one in spoken
        if one.base is not None
    )
