"""Other bases to try on a host of which nothing is known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from doctor.bases.model import ENDPOINTS, Candidate, Convention, Fault
from doctor.bases.paths import has_version, is_page, is_version, native_endpoint, two_versions
from doctor.urls import Base

_Guess = tuple[Fault, int, tuple[str, ...]]


def guesses(
    base: Base, convention: Convention, *, serves_v1: bool = False
) -> tuple[Candidate, ...]:
    """Other bases on this host where the given one reached nothing, likeliest first.

    ``serves_v1``: the product is known to have its API below /v1, so leaving it out is no option.
    """
    found: Iterable[_Guess]
    if convention.takes_endpoint:
        found = _lacking_endpoint(base, convention)
    elif convention.in_place:
        found = _without_the_beginning(base, convention)
    elif convention.adds_version:
        found = _without_own_version(base, convention)
    elif has_version(base.segments):
        found = _with_version(base, serves_v1)
    else:
        found = _lacking_version(base)
    best: dict[str, Candidate] = {}
    for fault, rank, segments in found:
        candidate = Candidate(convention.written(base.at(*segments)), fault, rank)
        if candidate.base != convention.written(base):
            best.setdefault(candidate.base, candidate)
    return tuple(sorted(best.values(), key=lambda candidate: candidate.rank))


def _lacking_endpoint(base: Base, convention: Convention) -> Iterable[_Guess]:
    endpoint = ENDPOINTS[convention.protocol]
    if base.segments[-len(endpoint) :] == endpoint:
        return
    if native_endpoint(base):
        yield Fault.OTHER_CLIENT, 0, endpoint if convention.anthropic else ("v1", *endpoint)
        return
    if not convention.anthropic and not has_version(base.segments):
        yield Fault.OTHER_CLIENT, 0, (*base.segments, "v1", *endpoint)
    yield Fault.OTHER_CLIENT, 1, (*base.segments, *endpoint)


def _without_the_beginning(base: Base, convention: Convention) -> Iterable[_Guess]:
    """Of an endpoint whose beginning the base has to hold."""
    prefix = tuple(takewhile(lambda part: not is_version(part), base.segments))
    yield Fault.OTHER_PROVIDER, 0, (*prefix, *convention.holds)


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
