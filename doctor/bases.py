"""Which base URL a client needs on a server, and what is wrong with the one it has.

Pure: from a base, what the client appends to it, and what is publicly known of the provider, to
candidate bases on the same host. A candidate carries the fault that it would prove. Those of
``certain`` and ``known`` are right by themselves; those of ``guesses`` are alternatives for a
server of which nothing is known, likeliest first. Facts: facts/gateway-clients.md §§1.1, 2.1, 3.0.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterable

from doctor.clients.base import ClientProfile
from doctor.connection import Protocol
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.providers import Provider
from doctor.urls import Base, query_names, read


class Fault(enum.StrEnum):
    """What a base lacks or has too much. Each is the business of one check."""

    MALFORMED = "malformed"
    QUERY = "query"
    ENDPOINT = "endpoint"
    DOUBLED = "doubled"
    WITHOUT_VERSION = "without-version"
    WITHOUT_PREFIX = "without-prefix"
    OTHER_CLIENT = "other-client"
    OTHER_PROVIDER = "other-provider"
    CONSOLE = "console"
    NOT_SERVED_VERSION = "not-served-version"
    SCHEME = "scheme"
    SLASH = "slash"
    MOVED_AWAY = "moved-away"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Another base on the same host. ``rank`` orders guesses, lower first."""

    base: str
    fault: Fault
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Convention:
    """What one client makes of its base: the segments that it appends for its protocol."""

    protocol: Protocol
    appends: tuple[str, ...]

    @classmethod
    def of(cls, client: ClientProfile, protocol: Protocol) -> Convention:
        path = client.paths[protocol].partition("?")[0]
        return cls(protocol, tuple(part for part in path.split("/") if part))

    @property
    def anthropic(self) -> bool:
        return self.protocol is Protocol.ANTHROPIC_MESSAGES

    @property
    def adds_version(self) -> bool:
        """The base must not have the version, for the client brings it."""
        return bool(self.appends) and is_version(self.appends[0])

    @property
    def takes_endpoint(self) -> bool:
        """Nothing is appended: the setting holds the whole address."""
        return not self.appends


OPENAI = Convention(Protocol.OPENAI_CHAT, ("chat", "completions"))
ANTHROPIC = Convention(Protocol.ANTHROPIC_MESSAGES, ("v1", "messages"))

# The endpoint below a base of the providers' table, which holds them as the SDKs want them.
_ENDPOINTS = {
    Protocol.OPENAI_CHAT: ("chat", "completions"),
    Protocol.OPENAI_RESPONSES: ("responses",),
    Protocol.ANTHROPIC_MESSAGES: ("v1", "messages"),
}

_VERSION = Pattern(r"v[0-9]{1,2}(?:(?:alpha|beta)[0-9]*)?", re.IGNORECASE)
# Longest first. The first two are endpoints wherever they stand, the others below a version only,
# since a path such as /models or /chat may as well be a page.
_TAILS = (
    ("chat", "completions"),
    ("completions",),
    ("messages", "count_tokens"),
    ("responses", "compact"),
    ("messages",),
    ("responses",),
    ("embeddings",),
    ("models",),
    ("chat",),
)
_ANYWHERE = 2
_PAGES = frozenset(
    {
        "account",
        "admin",
        "api-keys",
        "apidocs",
        "chat",
        "coding-plan",
        "console",
        "dashboard",
        "doc",
        "docs",
        "documentation",
        "home",
        "index.html",
        "keys",
        "login",
        "models",
        "overview",
        "panel",
        "playground",
        "pricing",
        "profile",
        "redoc",
        "register",
        "settings",
        "signin",
        "swagger",
        "token",
        "tokens",
        "topup",
        "ui",
        "user",
        "welcome",
    }
)


def is_version(segment: str) -> bool:
    """``v1``, ``v4``, ``v1beta``."""
    return _VERSION.fullmatch(segment) is not None


def has_version(segments: Iterable[str]) -> bool:
    return any(is_version(segment) for segment in segments)


# ------------------------------------------------------------------ wrong whatever the server


def certain(base: Base, convention: Convention) -> Candidate | None:
    """The fault that shows in the text of the base alone, with the base that remains without it."""
    if convention.takes_endpoint:
        return None
    tail = _tail(base.segments)
    # A query that belongs to the endpoint (?beta=true) goes with it.
    if tail and not (base.query and tracks(base.query)):
        return Candidate(_cut(base, tail, convention).url, Fault.ENDPOINT)
    if base.query is not None or base.fragment is not None:
        return Candidate(base.at(*base.segments).url, Fault.QUERY)
    single = _single(base.segments)
    if single is not None:
        return Candidate(base.at(*_for_client(single, convention)).url, Fault.DOUBLED)
    if convention.adds_version and base.segments and base.segments[-1] == convention.appends[0]:
        fault = Fault.OTHER_CLIENT if convention.anthropic else Fault.DOUBLED
        return Candidate(base.at(*base.segments[:-1]).url, fault)
    return None


def endpoint_tail(base: Base) -> tuple[str, ...]:
    """The segments of an endpoint at the end of the base, empty where there are none."""
    return _tail(base.segments)


def _tail(segments: tuple[str, ...]) -> tuple[str, ...]:
    lower = tuple(segment.lower() for segment in segments)
    for position, tail in enumerate(_TAILS):
        if lower[-len(tail) :] != tail:
            continue
        before = segments[: -len(tail)]
        if position < _ANYWHERE or (before and is_version(before[-1])):
            return segments[-len(tail) :]
    return ()


def _cut(base: Base, tail: tuple[str, ...], convention: Convention) -> Base:
    return base.at(*_for_client(base.segments[: -len(tail)], convention))


def _for_client(segments: tuple[str, ...], convention: Convention) -> tuple[str, ...]:
    """Without the version at the end where the client brings it."""
    if convention.adds_version and segments and segments[-1] == convention.appends[0]:
        return segments[:-1]
    return segments


def _single(segments: tuple[str, ...]) -> tuple[str, ...] | None:
    """The path with a repeated version, or a repeated block that ends in one, there once."""
    lower = tuple(segment.lower() for segment in segments)
    for size in range(len(segments) // 2, 0, -1):
        block = lower[-size:]
        if block == lower[-2 * size : -size] and is_version(block[-1]):
            return segments[:-size]
    return None


def two_versions(base: Base) -> bool:
    """``/v4/v1``: one version was appended to a base that had another."""
    return len(base.segments) > 1 and all(is_version(part) for part in base.segments[-2:])


# ------------------------------------------------------------------ known providers


def right_bases(provider: Provider, base: Base, convention: Convention) -> tuple[Base, ...]:
    """The right bases for this client on the host of ``base``, the one to suggest first.

    Empty where the provider is not known to serve the protocol there, or the client cannot reach
    it (it appends /v1 and the provider's version is another).
    """
    if base.port is not None:
        return ()
    found = []
    for text in provider.bases(convention.protocol, base.host):
        known = read(text).base
        segments = None if known is None else _client_base(known.segments, convention)
        if known is not None and segments is not None:
            moved = dataclasses.replace(known.at(*segments), userinfo=base.userinfo)
            found.append(moved)
    return tuple(found)


def base_for(base: str, of: Convention, to: Convention) -> str | None:
    """The base with which ``to`` reaches the same place as ``of`` does with ``base``, each with
    its own protocol; None where there is none."""
    known = read(base).base
    if known is None:
        return None
    reached = (*known.segments, *of.appends)
    standard = _ENDPOINTS[of.protocol]
    if reached[-len(standard) :] != standard:
        return None
    stem = reached[: -len(standard)]
    if of.anthropic and not to.anthropic:
        stem = (*stem, standard[0])
    elif to.anthropic and not of.anthropic:
        if not stem or stem[-1] != "v1":
            return None
        stem = stem[:-1]
    segments = _client_base(stem, to)
    return None if segments is None else known.at(*segments).url


def _client_base(segments: tuple[str, ...], convention: Convention) -> tuple[str, ...] | None:
    """From a base as the protocol's SDK wants it to the one that this client wants."""
    endpoint = (*segments, *_ENDPOINTS[convention.protocol])
    count = len(convention.appends)
    if not count:
        return endpoint
    return endpoint[:-count] if endpoint[-count:] == convention.appends else None


def nearest(base: Base, rights: tuple[Base, ...]) -> Base:
    """Of several right bases the one that shares most of its path with ``base``."""

    def shared(right: Base) -> int:
        pairs = zip(base.segments, right.segments, strict=False)
        count = 0
        for one, other in pairs:
            if one != other:
                break
            count += 1
        return count

    return max(rights, key=shared)


def difference(
    base: Base, right: Base, convention: Convention, provider: Provider | None = None
) -> Fault | None:
    """What makes ``base`` another path than ``right``; None where they are the same."""
    given, wanted = base.segments, right.segments
    if given == wanted:
        return None
    if provider is not None and provider.is_console(base.host, base.path):
        return Fault.CONSOLE
    static = certain(base, convention)
    if static is not None:
        return static.fault
    if convention.takes_endpoint and wanted[: len(given)] == given:
        return Fault.OTHER_CLIENT
    if two_versions(base):
        return Fault.DOUBLED
    if given and provider is not None and base.path in _paths_of_others(provider, base, convention):
        return Fault.OTHER_CLIENT
    if len(wanted) == len(given) + 1 and wanted[:-1] == given and is_version(wanted[-1]):
        return Fault.WITHOUT_VERSION
    if len(wanted) > len(given):
        beginning, end = wanted[: len(given)], wanted[len(wanted) - len(given) :]
        if end == given or (beginning == given and not has_version(given)):
            return Fault.WITHOUT_PREFIX
    if tuple(part for part in given if not is_version(part)) == wanted:
        return Fault.NOT_SERVED_VERSION
    return Fault.OTHER_PROVIDER


def _paths_of_others(provider: Provider, base: Base, convention: Convention) -> set[str]:
    """The paths, below the bare host, that are right on this host for another kind of client."""
    other = OPENAI if convention.anthropic else ANTHROPIC
    texts = provider.bases(other.protocol, base.host)
    if convention.anthropic and not convention.adds_version:
        # opencode and newer Cline want the version where Claude Code does not.
        texts = (*texts, *provider.bases(ANTHROPIC.protocol, base.host))
    found = (read(text).base for text in texts)
    return {known.path for known in found if known}


def known(base: Base, convention: Convention, provider: Provider) -> Candidate | None:
    """What is wrong with ``base`` on the host of a known provider, with the right base."""
    rights = right_bases(provider, base, convention)
    if not rights:
        return None
    if base.segments in tuple(right.segments for right in rights):
        plain = base.scheme == "http"
        return Candidate(base.with_scheme("https").url, Fault.SCHEME) if plain else None
    right = nearest(base, rights)
    fault = difference(base, right, convention, provider)
    return None if fault is None else Candidate(right.url, fault)


# ------------------------------------------------------------------ guesses


def guesses(
    base: Base, convention: Convention, *, serves_v1: bool = False
) -> tuple[Candidate, ...]:
    """Other bases on this host where the given one reached nothing, likeliest first.

    ``serves_v1``: the product is known to have its API below /v1, so leaving it out is no option.
    """
    found: Iterable[_Guess]
    if convention.takes_endpoint:
        found = _lacking_endpoint(base, convention)
    elif convention.adds_version:
        found = _without_own_version(base, convention)
    elif has_version(base.segments):
        found = _with_version(base, serves_v1)
    else:
        found = _lacking_version(base)
    best: dict[str, Candidate] = {}
    for fault, rank, segments in found:
        candidate = Candidate(base.at(*segments).url, fault, rank)
        if candidate.base != base.url:
            best.setdefault(candidate.base, candidate)
    return tuple(sorted(best.values(), key=lambda candidate: candidate.rank))


_Guess = tuple[Fault, int, tuple[str, ...]]


def _lacking_endpoint(base: Base, convention: Convention) -> Iterable[_Guess]:
    endpoint = _ENDPOINTS[convention.protocol]
    if base.segments[-len(endpoint) :] == endpoint:
        return
    if not convention.anthropic and not has_version(base.segments):
        yield Fault.OTHER_CLIENT, 0, (*base.segments, "v1", *endpoint)
    yield Fault.OTHER_CLIENT, 1, (*base.segments, *endpoint)


def _lacking_version(base: Base) -> Iterable[_Guess]:
    segments = base.segments
    if is_page(base):
        yield Fault.CONSOLE, 0, ("v1",)
        yield Fault.CONSOLE, 1, ("api", "v1")
        return
    if segments and segments[-1].lower() in ("anthropic", "claude"):
        yield Fault.OTHER_CLIENT, 0, (*segments[:-1], "v1")
    yield Fault.WITHOUT_VERSION, 0, (*segments, "v1")
    if "api" not in segments:
        yield Fault.WITHOUT_PREFIX, 1, (*segments, "api", "v1")
    if segments:
        yield Fault.OTHER_PROVIDER, 2, ("v1",)


def _with_version(base: Base, serves_v1: bool) -> Iterable[_Guess]:
    segments = base.segments
    if two_versions(base):
        yield Fault.DOUBLED, 0, segments[:-1]
        yield Fault.DOUBLED, 1, (*segments[:-2], segments[-1])
        return
    last = max(index for index, part in enumerate(segments) if is_version(part))
    prefix, version = segments[:last], segments[last]
    lower = tuple(part.lower() for part in prefix)
    foreign = Fault.OTHER_CLIENT if "anthropic" in lower else Fault.OTHER_PROVIDER
    if version != "v1" or last + 1 < len(segments):
        yield foreign, 0, (*prefix, "v1")
    if prefix:
        yield foreign, 1, ("v1",)
    else:
        yield (Fault.WITHOUT_PREFIX if version == "v1" else foreign), 1, ("api", "v1")
    if not serves_v1:
        yield Fault.NOT_SERVED_VERSION, 3, prefix


def _without_own_version(base: Base, convention: Convention) -> Iterable[_Guess]:
    segments = base.segments
    if is_page(base):
        yield Fault.CONSOLE, 0, ()
        yield Fault.CONSOLE, 1, ("api",)
        return
    if has_version(segments):
        first = next(index for index, part in enumerate(segments) if is_version(part))
        yield Fault.OTHER_CLIENT, 0, segments[:first]
        segments = segments[:first]
    lower = tuple(part.lower() for part in segments)
    if lower[-1:] in (("openai",), ("compatible-mode",)):
        yield Fault.OTHER_CLIENT, 0, segments[:-1]
    if "api" not in lower:
        yield Fault.WITHOUT_PREFIX, 1, (*segments, "api")
    if convention.anthropic and "anthropic" not in lower:
        yield Fault.WITHOUT_PREFIX, 2, (*segments, "anthropic")
    if segments:
        yield Fault.OTHER_PROVIDER, 3, ()


def is_page(base: Base) -> bool:
    """The path looks like a page for people: /console, /docs, a hash route."""
    if base.fragment is not None and base.fragment.lstrip("!").startswith("/"):
        return True
    return not has_version(base.segments) and any(part.lower() in _PAGES for part in base.segments)


# ------------------------------------------------------------------ queries

_TRACKING = Pattern(
    r"(?:utm_\w+|gclid|fbclid|msclkid|spm|ref|referrer|referer|source|from|channel|aff|invite"
    r"|invite_code|share|track\w*)",
    re.IGNORECASE,
)


def tracks(query: str | None) -> bool:
    """Whether every parameter of the query only says where a visitor came from."""
    names = query_names(query)
    return all(_TRACKING.fullmatch(name) is not None for name in names)
