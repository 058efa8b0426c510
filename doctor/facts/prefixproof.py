"""What two requests of a log got from the server when they were sent again (``prefix --prove``)."""

from __future__ import annotations

import enum

from doctor.records import dataclass


class Shown(enum.StrEnum):
    """What the answers show, taken together (``doctor.prefix.verdict``)."""

    CAUSE = "cause"  # as sent it misses, in the better order it hits
    WELL = "well"  # as sent it hits
    OFF = "off"  # the engine says that it caches no prefixes
    NO_ATTENTION = "no-attention"  # a class of models that has no prefix cache
    SHORT = "short"  # what is shared does not fill a block
    BELOW_USUAL = "below-usual"  # shorter than hosted services cache
    UNMARKED = "unmarked"  # a service that caches only what the request marks
    NOT_TOLD = "not-told"  # neither answers nor metrics say what was cached
    ROUTING = "routing"  # the same request hits at times
    LATE = "late"  # the same request hits, one that only begins alike did not
    MISSES = "misses"  # nothing hits, not even the same request
    WARM = "warm"  # the first request was known already, so the pair says nothing
    UNANSWERED = "unanswered"  # a request was refused, or failed


@dataclass(frozen=True, slots=True)
class ProofAnswer:
    """One answer. Tokens are None where they are not told. ``counted`` are the (hit, looked up)
    tokens by which the engine's own counters grew meanwhile, None without an engine. ``fault``
    is why there was no answer, "" where there was one."""

    prompt: int | None = None
    cached: int | None = None
    counted: tuple[int, int] | None = None
    ms: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ProofPair:
    """Two requests, one after the other. ``shared`` is the part of the second (0 to 1) that is the
    beginning of the first as well."""

    shared: float
    first: ProofAnswer
    second: ProofAnswer


@dataclass(frozen=True, slots=True)
class PrefixProof:
    """``as_sent`` is the pair as it stands in the log, ``better`` the same in the better order;
    None where nothing is to be moved. ``again`` are answers to the last request sent again.

    ``prefix_caching`` and ``alignment`` (tokens in whose multiples a prefix is found) are the
    engine's own words, None where they are not known; ``engines`` its processes, ``version`` its
    version, ``engine_rate`` (0 to 1) its hit rate since its start, over all its users. ``salted``
    says that nothing from before could hit. ``requests`` and ``tokens`` were spent.
    """

    url: str
    model: str
    shown: Shown
    as_sent: ProofPair | None = None
    better: ProofPair | None = None
    again: tuple[ProofAnswer, ...] = ()
    prefix_caching: bool | None = None
    alignment: int | None = None
    engines: int = 1
    version: str | None = None
    engine_rate: float | None = None
    salted: bool = False
    requests: int = 0
    tokens: int = 0
    trouble: str = ""
