"""What is wrong with a base on the host of a known provider."""

from __future__ import annotations

import dataclasses

from doctor.bases.model import ANTHROPIC, ENDPOINTS, OPENAI, Candidate, Convention, Fault
from doctor.bases.paths import has_version, is_version, two_versions
from doctor.bases.wrong_anywhere import certain
from doctor.connection import Protocol
from doctor.settings.providers import Provider
from doctor.urls import Base, read


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
        segments = None if known is None else client_base(known.segments, convention)
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
    standard = ENDPOINTS[of.protocol]
    if reached[-len(standard) :] != standard:
        return None
    stem = reached[: -len(standard)]
    if Protocol.GEMINI_GENERATE in (of.protocol, to.protocol) and of.protocol is not to.protocol:
        return None  # nothing of the one's path says where the other is served
    if of.anthropic and not to.anthropic:
        stem = (*stem, standard[0])
    elif to.anthropic and not of.anthropic:
        if not stem or stem[-1] != "v1":
            return None
        stem = stem[:-1]
    segments = client_base(stem, to)
    return None if segments is None else known.at(*segments).url


def client_base(segments: tuple[str, ...], convention: Convention) -> tuple[str, ...] | None:
    """From a base as the protocol's SDK wants it to the one that this client wants."""
    endpoint = (*segments, *ENDPOINTS[convention.protocol])
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
    others = set() if provider is None else _paths_of_others(provider, base, convention)
    if given and base.path in others:
        # Google's own API beside the compatible one is no matter of what a client appends.
        return Fault.OTHER_PROVIDER if convention.of_google else Fault.OTHER_CLIENT
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
    others = tuple(kind for kind in (OPENAI, ANTHROPIC) if kind.protocol is not _kin(convention))
    texts = tuple(text for kind in others for text in provider.bases(kind.protocol, base.host))
    if convention.anthropic and not convention.adds_version:
        # opencode and newer Cline want the version where Claude Code does not.
        texts = (*texts, *provider.bases(ANTHROPIC.protocol, base.host))
    found = (read(text).base for text in texts)
    return {known.path for known in found if known}


def _kin(convention: Convention) -> Protocol:
    """The protocol that is told from the same bases: the OpenAI SDK's base is one for both."""
    responses = convention.protocol is Protocol.OPENAI_RESPONSES
    return Protocol.OPENAI_CHAT if responses else convention.protocol


def known(base: Base, convention: Convention, provider: Provider) -> Candidate | None:
    """What is wrong with ``base`` on the host of a known provider, with the right base."""
    rights = right_bases(provider, base, convention)
    if not rights:
        return None
    if base.segments in tuple(right.segments for right in rights):
        plain = base.scheme == "http"
        secure = convention.written(base.with_scheme("https"))
        return Candidate(secure, Fault.SCHEME) if plain else None
    right = nearest(base, rights)
    fault = difference(base, right, convention, provider)
    return None if fault is None else Candidate(convention.written(right), fault)
