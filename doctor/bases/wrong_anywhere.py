"""What is wrong with a base whatever the server."""

from __future__ import annotations

from doctor.bases.model import Candidate, Convention, Fault
from doctor.bases.paths import endpoint_tail, is_version, tracks, undoubled
from doctor.urls import Base


def certain(base: Base, convention: Convention) -> Candidate | None:
    """The fault that shows in the text of the base alone, with the base that remains without it."""
    if convention.takes_endpoint:
        return None
    if convention.in_place and base.segments[-len(convention.holds) :] == convention.holds:
        # It looks like an endpoint and is the base; all behind its last slash is lost.
        return None if base.trailing_slash else Candidate(convention.written(base), Fault.SLASH)
    tail = endpoint_tail(base)
    # A query that belongs to the endpoint (?beta=true) goes with it.
    if tail and not (base.query and tracks(base.query)):
        return Candidate(convention.written(_cut(base, tail, convention)), Fault.ENDPOINT)
    if base.query is not None or base.fragment is not None:
        return Candidate(convention.written(base.at(*base.segments)), Fault.QUERY)
    single = undoubled(base.segments)
    if single is not None:
        fitting = base.at(*_for_client(single, convention))
        return Candidate(convention.written(fitting), Fault.DOUBLED)
    if _brings_another(base, convention):
        fault = Fault.OTHER_CLIENT if convention.anthropic else Fault.DOUBLED
        return Candidate(base.at(*base.segments[:-1]).url, fault)
    return None


def _brings_another(base: Base, convention: Convention) -> bool:
    """Whether the version that the client adds comes behind one at the end of the base."""
    if not convention.adds_version or not base.segments:
        return False
    last = base.segments[-1]
    # Google's API has no other versions before its own, as some Anthropic gateways do.
    return last == convention.appends[0] or (convention.of_google and is_version(last))


def _cut(base: Base, tail: tuple[str, ...], convention: Convention) -> Base:
    return base.at(*_for_client(base.segments[: -len(tail)], convention))


def _for_client(segments: tuple[str, ...], convention: Convention) -> tuple[str, ...]:
    """Without the version at the end where the client brings it, and with all that it wants."""
    if convention.adds_version and segments and segments[-1] == convention.appends[0]:
        return segments[:-1]
    if not convention.in_place:
        return segments
    common = next(
        n
        for n in range(len(convention.holds), -1, -1)
        if not n or segments[-n:] == convention.holds[:n]
    )
    return (*segments[: len(segments) - common], *convention.holds)
