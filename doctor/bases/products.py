"""Where a server program that is known by its answers has its APIs, whatever its host."""

from __future__ import annotations

from collections.abc import Mapping

from doctor.bases.known_hosts import client_base, difference, nearest
from doctor.bases.model import Candidate, Convention, Fault
from doctor.connection import Protocol
from doctor.urls import Base

# As the protocol's SDK wants its base, the one that is documented first. claude-relay-service: its
# README and src/app.js (github.com/Wei-Shaw/claude-relay-service).
_SERVED: Mapping[str, Mapping[Protocol, tuple[tuple[str, ...], ...]]] = {
    "claude-relay-service": {
        Protocol.ANTHROPIC_MESSAGES: (("api",), ("claude",)),
        Protocol.OPENAI_RESPONSES: (("openai",), ("openai", "v1")),
        Protocol.OPENAI_CHAT: (("openai", "v1"), ("api", "v1")),
        Protocol.GEMINI_GENERATE: (("gemini",),),
    },
}


def of_product(product: str, base: Base, convention: Convention) -> Candidate | None:
    """The base at which ``product`` serves this client's API, the one nearest to ``base``; None
    where that is not known, or where ``base`` is one."""
    served = _SERVED.get(product, {})
    paths = (client_base(path, convention) for path in served.get(convention.protocol, ()))
    rights = tuple(base.at(*path) for path in paths if path is not None)
    if not rights or base.segments in tuple(right.segments for right in rights):
        return None
    right = nearest(base, rights)
    fault = difference(base, right, convention)
    if fault is Fault.OTHER_PROVIDER and any(base.segments in paths for paths in served.values()):
        fault = Fault.OTHER_CLIENT
    return None if fault is None else Candidate(convention.written(right), fault)
