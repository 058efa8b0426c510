"""KVD216: a version segment that this server does not have."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor import bases
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

from ._gathering import READS, situation
from ._words import came_back, changes, confidence, consequences, evidence, reason, use

CODE = "KVD216"


@check(
    code=CODE,
    slug="url-version-not-served",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_version_not_served(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL has a version segment, and this server has its API without one.

    ## What it checks
    Whether a base with a version brought a 404 or a page, on a server that is not known to have
    its API below `/v1`.

    ## Why it matters
    It is the reverse of a missing `/v1`: a few servers and reverse proxies put
    `/chat/completions` right below the host or below a prefix of their own.

    ## How to fix
    Leave the version out.

    ## Fix safety
    Scheme, host and port stay. It is a guess, tried with one request after the likelier ones.

    ## References
    https://github.com/openai/openai-python
    """
    s = await situation(f)
    spoken = s.of(Fault.NOT_SERVED_VERSION)
    if not spoken or s.base is None:
        return
    first = spoken[0]
    version = next((f"/{part}" for part in s.base.segments if bases.is_version(part)), "/v1")
    sure = _("This server has its API without {version}", version=version)
    yield problem(
        _("This server may have its API without {version}", version=version)
        if first.guess
        else sure,
        joined(came_back(s), reason(s, first)),
        proved_title=sure,
        advice=use(s, first),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
    )
