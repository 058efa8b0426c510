"""KVD202: the path in front of the API is missing from the base."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.bases import Fault
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Severity,
    _,
    check,
    joined,
    problem,
)
from doctor.urls import read

from ._gathering import READS, situation
from ._situation import Situation, Spoken
from ._words import (
    came_back,
    changes,
    confidence,
    consequences,
    evidence,
    for_others,
    path_of,
    reason,
    use,
)

CODE = "KVD202"


@check(
    code=CODE,
    slug="url-without-api-prefix",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_without_api_prefix(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL lacks the path under which this gateway serves its API, such as `/api`.

    ## What it checks
    The path of the base against the provider's; for an unknown server, whether the base brought
    a web page, a 404 or a redirect and `/api`, `/api/v1` or `/anthropic` may be missing.

    ## Why it matters
    Several gateways keep their website at the root and the API below `/api`. The website answers
    every path with a page and status 200.

    ## How to fix
    Put the prefix between the host and the version.

    ## Fix safety
    Scheme, host and port stay. For an unknown server it is a guess, tried with one request.

    ## References
    https://taotoken.net/doc
    """
    s = await situation(f)
    spoken = s.of(Fault.WITHOUT_PREFIX)
    if not spoken:
        return
    first = spoken[0]
    missing = _missing(s, first)
    sure = _("The base URL lacks {prefix}", prefix=missing)
    yield problem(
        _("The base URL likely lacks {prefix}", prefix=missing) if first.guess else sure,
        joined(came_back(s), reason(s, first)),
        proved_title=sure,
        advice=joined(use(s, first), for_others(s, first.base or "")),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
    )


def _missing(s: Situation, spoken: Spoken) -> str:
    """The segments that the right base has and the given one has not."""
    right, given = read(spoken.base or "").base, s.base
    if right is None or given is None:
        return "/api"
    extra = len(right.segments) - len(given.segments)
    at_the_front = right.segments[extra:] == given.segments
    return path_of(right.segments[:extra] if at_the_front else right.segments[-extra:])
