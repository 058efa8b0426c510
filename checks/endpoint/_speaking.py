"""Which fault of a base URL speaks.

Several faults of one base hide one another, so only one kind speaks at a time: what is wrong in
the text itself before what a provider's table tells, and that before guesses. The repair search
examines the changed base again and meets the next.
"""

from __future__ import annotations

import re

from doctor import bases
from doctor.bases import Candidate, Fault
from doctor.checkapi import Confidence
from doctor.connection import OriginKind, Protocol
from doctor.facts.answers import OutcomeKind, Reply
from doctor.outcomes import has_error_object
from doctor.patterns import Pattern
from doctor.settings.providers import Provider, provider_for_host
from doctor.urls import Base, Defect, keeps_destination, read

from . import _replies
from ._replies import Leads
from ._situation import Situation, Spoken, ToldBy

# These have their API below /v1 (facts/gateway-clients.md §1.1, facts/real-servers.md).
_SERVE_V1 = frozenset({"new-api", "one-api", "vllm", "litellm", "openai"})
_KEY = Pattern(r"(?:(?:sk|cr|gsk|xai|hf|pk|ak)[-_]|AIza)[^\s./:]+", re.IGNORECASE)
# Any other key is refused for its own sake.
_WELL_FORMED = Pattern(r"[\w.+/=:-]+", re.ASCII)


def speaking(s: Situation) -> tuple[Spoken, ...]:
    """The one fault that speaks, or the guesses of one kind; empty where the base is right."""
    if s.works or _of_another_check(s):
        return ()
    if s.connection.base_url.origin.kind is OriginKind.DEFAULT:
        return ()  # a client knows where its own vendor is
    if s.base is None:
        return (Spoken(Fault.MALFORMED, None),)
    if s.reading.defects:
        return _malformed(s, s.base)
    if s.console_of is not None:
        return (Spoken(Fault.CONSOLE, _right_base(s, s.base)),)
    if _reaches_it_all_the_same(s, s.base):
        return ()
    own = None if _joined_once(s) else bases.certain(s.base, s.convention)
    if own is not None:
        return (Spoken(own.fault, _straight(s, own)),)
    if s.provider is not None:
        known = _known(s, s.base, s.provider)
        if known or not s.nothing_there or s.reply is None:
            return known
        return _told_by_redirect(s, s.base, s.reply)
    return _guessed(s, s.base)


def _segments(s: Situation) -> tuple[str, ...]:
    """The path of the request as the client makes it, for whatever model."""
    path = "" if s.endpoint is None else s.endpoint.path
    if s.convention.of_google:
        before, colon, action = path.rpartition(":")
        path = f"{before.rpartition('/')[0]}/{{model}}{colon}{action}"
    return tuple(part for part in path.split("/") if part)


def _mends_the_base(s: Situation) -> bool:
    """Whether the client's join rule looks at the base for a version before it brings one."""
    path = s.client.paths[s.convention.protocol].partition("?")[0]
    plain = tuple(part for part in path.split("/") if part)
    return plain != s.convention.appends


def _joined_once(s: Situation) -> bool:
    """A version in the base of such a client, which is not brought once more."""
    made, own = _segments(s), s.convention.appends
    ends = made[-len(own) :] == own
    if s.convention.of_google and not ends:
        ends = made[1 - len(own) :] == own[1:]  # below another version of that API
    return _mends_the_base(s) and ends and sum(map(bases.is_version, made)) == 1


def _reaches_it_all_the_same(s: Situation, base: Base) -> bool:
    """Such a client goes to the place that the provider documents."""
    if s.provider is None or not _mends_the_base(s):
        return False
    if s.convention.of_google and _joined_once(s):
        return True  # it is served below its older versions too
    rights = bases.right_bases(s.provider, base, s.convention)
    return any((*right.segments, *s.convention.appends) == _segments(s) for right in rights)


def _of_another_check(s: Situation) -> bool:
    """A comment taken as value and a key in the URL's place have checks of their own."""
    text = s.given.strip()
    comment = Defect.COMMENT in s.reading.defects or text.startswith("#")
    return comment or _KEY.fullmatch(text) is not None


def _malformed(s: Situation, base: Base) -> tuple[Spoken, ...]:
    if Defect.SCHEME_MISSING in s.reading.defects and base.scheme == "http":
        # Only the server can tell which of the two a private host speaks.
        return (
            Spoken(Fault.MALFORMED, base.url, Confidence.HIGH, guess=True, rank=0),
            Spoken(Fault.MALFORMED, base.with_scheme("https").url, guess=True, rank=1),
        )
    repaired = base.text if base.query is not None or base.fragment is not None else base.url
    return (Spoken(Fault.MALFORMED, _right_base(s, base) or repaired),)


def _straight(s: Situation, candidate: Candidate) -> str:
    """The provider's base where it is known, so that one change does; else one step on."""
    base = read(candidate.base).base
    return (base and _right_base(s, base)) or candidate.base


def _right_base(s: Situation, base: Base) -> str | None:
    """The right base on this host by the providers' table, the one nearest to ``base``."""
    provider = None if base.port else provider_for_host(base.host)
    rights = () if provider is None else bases.right_bases(provider, base, s.convention)
    return s.convention.written(bases.nearest(base, rights)) if rights else None


def _known(s: Situation, base: Base, provider: Provider) -> tuple[Spoken, ...]:
    candidate = bases.known(base, s.convention, provider)
    if candidate is None or _is_asked_by_date(s, base, provider):
        return ()
    # A path that the table does not have may be newer than the table.
    doubtful = candidate.fault is Fault.OTHER_PROVIDER and _answers_otherwise(s)
    sure = Confidence.MEDIUM if doubtful else Confidence.HIGH
    return (Spoken(candidate.fault, candidate.base, sure, told_by=ToldBy.PROVIDER),)


def _is_asked_by_date(s: Situation, base: Base, provider: Provider) -> bool:
    """Whether a client adds the api-version that Azure's older paths take in place of /v1:
    query_params of a provider of Codex, as its own documentation has it."""
    dated = any(name == "api-version" for name, _value in s.connection.query)
    return dated and provider.id == "azure-openai" and base.segments[:1] == ("openai",)


def _answers_otherwise(s: Situation) -> bool:
    """The server answered, and not that nothing is there."""
    reply = s.reply
    return (
        reply is not None
        and reply.outcome.kind is not OutcomeKind.TRANSPORT
        and not s.nothing_there
    )


def _guessed(s: Situation, base: Base) -> tuple[Spoken, ...]:
    told_by = _what_casts_doubt(s, base)
    if told_by is None:
        return ()
    if s.reply is not None:
        told = _told_by_redirect(s, base, s.reply)
        if told:
            return told
    if s.lists_models and not s.shape_is_wrong:
        return ()  # the base is right, the protocol is not served: KVD214
    if base.trailing_slash and s.endpoint is not None and "//" in s.endpoint.path:
        return (Spoken(Fault.SLASH, base.at(*base.segments).url, told_by=told_by),)
    serves_v1 = s.product is not None and s.product.id in _SERVE_V1
    found = bases.guesses(base, s.convention, serves_v1=serves_v1)
    if told_by is not ToldBy.REPLY:
        found = tuple(c for c in found if c.fault is Fault.WITHOUT_VERSION)
    own = _of_product(s, base) if told_by is ToldBy.REPLY else ()
    return own + tuple(
        Spoken(
            c.fault,
            c.base,
            Confidence.LOW if own else _confidence(s, base, c, found),
            True,
            c.rank,
            told_by,
        )
        for c in found
        if c.base not in tuple(one.base for one in own)
    )


def _of_product(s: Situation, base: Base) -> tuple[Spoken, ...]:
    """What the product that the answers show has at another path. Others may answer in its words,
    so that it is tried before it is called right."""
    found = None if s.product is None else bases.of_product(s.product.id, base, s.convention)
    if found is None:
        return ()
    return (Spoken(found.fault, found.base, Confidence.MEDIUM, guess=True, told_by=ToldBy.PRODUCT),)


def _what_casts_doubt(s: Situation, base: Base) -> ToldBy | None:
    """What makes an unknown server's base doubtful; None where nothing does."""
    if s.nothing_there:
        # Some servers have no models list, so that one alone casts no doubt on a base that looks
        # right.
        looks_right = s.completion is None and not s.shape_is_wrong
        return None if looks_right else ToldBy.REPLY
    refused = _asks_for_key_elsewhere(s, base)
    if refused is not None:
        return refused
    return ToldBy.PORT if _usual_server_elsewhere(s, base) else None


def _confidence(
    s: Situation, base: Base, candidate: Candidate, found: tuple[Candidate, ...]
) -> Confidence:
    if s.connection.protocol is Protocol.GEMINI_GENERATE:
        return Confidence.LOW  # few servers have this API at all
    likeliest = candidate.rank == found[0].rank
    doubtful = s.shape_is_wrong or not base.segments
    if likeliest and doubtful and s.nothing_there:
        return Confidence.MEDIUM
    return Confidence.LOW


def _asks_for_key_elsewhere(s: Situation, base: Base) -> ToldBy | None:
    """A key was asked for below a base without version: another place where no API says so, and
    else one that the key may have been asked for in front of."""
    if s.reply is None or not s.shape_is_wrong:
        return None
    kind = s.reply.outcome.kind
    if kind not in (OutcomeKind.KEY_MISSING, OutcomeKind.KEY_REFUSED):
        return None
    if not has_error_object(s.reply):
        return ToldBy.REFUSAL
    server = s.likely_server
    usual = server is not None and base.path in server.paths(s.convention.protocol)
    key = s.connection.key
    well_formed = key is not None and _WELL_FORMED.fullmatch(key.value.reveal()) is not None
    refused = kind is OutcomeKind.KEY_REFUSED and well_formed
    return ToldBy.KEY_FIRST if refused and not usual else None


def _usual_server_elsewhere(s: Situation, base: Base) -> bool:
    """No answer, but what usually listens on this port serves other paths."""
    server = s.likely_server
    if server is None or server.local_port is None or s.convention.takes_endpoint:
        return False
    if s.reply is not None and s.reply.outcome.kind is not OutcomeKind.TRANSPORT:
        return False
    known = server.paths(s.convention.protocol)
    return (
        bool(known)
        and not s.convention.adds_version
        and s.shape_is_wrong
        and base.path not in known
    )


def _told_by_redirect(s: Situation, base: Base, reply: Reply) -> tuple[Spoken, ...]:
    """What a redirect says of the base; empty where it only says that nothing is there."""
    way, target = _replies.leads(reply), _replies.redirect_target(reply)
    if way is None or target is None:
        return ()
    if way is Leads.TO_HTTPS:
        upgraded = target.at(*base.segments).url
        return (
            Spoken(
                Fault.SCHEME,
                upgraded if keeps_destination(base.url, upgraded) else None,
                told_by=ToldBy.REDIRECT,
            ),
        )
    if way is Leads.TO_A_SLASH:
        shorter = base.at(*base.segments).url if base.trailing_slash else None
        return (Spoken(Fault.SLASH, shorter, told_by=ToldBy.REDIRECT),)
    appended = s.convention.appends
    ends_alike = bool(appended) and target.segments[-len(appended) :] == appended
    if way is Leads.TO_ANOTHER_HOST:
        if s.shape_is_wrong:
            return ()
        fault = Fault.MOVED_AWAY if ends_alike else Fault.CONSOLE
        return (Spoken(fault, None, told_by=ToldBy.REDIRECT),)
    if not ends_alike:
        return ()
    right = base.at(*target.segments[: -len(appended)])
    other = bases.difference(base, right, s.convention)
    return () if other is None else (Spoken(other, right.url, told_by=ToldBy.REDIRECT),)
