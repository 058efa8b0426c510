"""What is wrong with a base whatever the server."""

from __future__ import annotations

from doctor.bases.model import Candidate, Convention, Fault
from doctor.bases.paths import endpoint_tail, tracks, undoubled
from doctor.urls import Base


def certain(base: Base, convention: Convention) -> Candidate | None:
    """The fault that shows in the text of the base alone, with the base that remains without it."""
    if convention.takes_endpoint:
        return None
    tail = endpoint_tail(base)
    # A query that belongs to the endpoint (?beta=true) goes with it.
    if tail and not (base.query and tracks(base.query)):
        return Candidate(_cut(base, tail, convention).url, Fault.ENDPOINT)
    if base.query is not None or base.fragment is not None:
        return Candidate(base.at(*base.segments).url, Fault.QUERY)
    single = undoubled(base.segments)
    if single is not None:
        return Candidate(base.at(*_for_client(single, convention)).url, Fault.DOUBLED)
    if convention.adds_version and base.segments and base.segments[-1] == convention.appends[0]:
        fault = Fault.OTHER_CLIENT if convention.anthropic else Fault.DOUBLED
        return Candidate(base.at(*base.segments[:-1]).url, fault)
    return None


def _cut(base: Base, tail: tuple[str, ...], convention: Convention) -> Base:
    return base.at(*_for_client(base.segments[: -len(tail)], convention))


def _for_client(segments: tuple[str, ...], convention: Convention) -> tuple[str, ...]:
    """Without the version at the end where the client brings it."""
    if convention.adds_version and segments and segments[-1] == convention.appends[0]:
        return segments[:-1]
    return segments
