"""KVD203: the version stands in the path twice."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor import bases
from doctor.bases import Fault
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Severity,
    Text,
    _,
    check,
    joined,
    problem,
)

from ._gathering import READS, situation
from ._situation import Situation
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

CODE = "KVD203"


@check(
    code=CODE,
    slug="url-version-doubled",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_version_doubled(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL holds two versions (`/v1/v1`, `/v4/v1`), or has the one that the client adds.

    ## What it checks
    The path of the base, and what the client appends to it.

    ## Why it matters
    No server has both in a row: the request ends in a 404, or in the gateway's web page. It
    comes of programs that append `/v1` to whatever they are given.

    ## How to fix
    Keep one version: the one that the provider documents, in the place where this client wants
    it.

    ## Fix safety
    Scheme, host and port stay. Of two different versions the first is tried before the second.

    ## References
    https://github.com/openai/openai-python
    """
    s = await situation(f)
    spoken = s.of(Fault.DOUBLED)
    if not spoken:
        return
    first = spoken[0]
    yield problem(
        _title(s),
        joined(came_back(s), reason(s, first), use(s, first), for_others(s, first.base or "")),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
    )


def _title(s: Situation) -> Text:
    base = s.base
    segments = () if base is None else base.segments
    last = path_of(segments[-2:])
    if base is not None and bases.two_versions(base):
        if segments[-1].lower() == segments[-2].lower():
            return _("The base URL holds {version} twice", version=path_of(segments[-1:]))
        return _("The base URL holds two versions: {versions}", versions=last)
    if s.convention.adds_version and segments[-1:] == s.convention.appends[:1]:
        return _(
            "{client} adds {version} itself, and the base URL has it too",
            client=s.client.label,
            version=path_of(segments[-1:]),
        )
    if s.convention.of_google and bases.is_version(segments[-1]):
        return _(
            "{client} adds {version} behind the {own} of the base URL",
            client=s.client.label,
            version=path_of(s.convention.appends[:1]),
            own=path_of(segments[-1:]),
        )
    return _("The base URL repeats a part of its path: {path}", path=path_of(segments))
