"""KVD201: the version segment is missing from the base."""

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

from ._gathering import READS, situation
from ._words import came_back, changes, confidence, consequences, evidence, for_others, reason, use

CODE = "KVD201"


@check(
    code=CODE,
    slug="url-without-version",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_without_version(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL lacks the version segment, mostly `/v1`, that this client does not add itself.

    ## What it checks
    Whether the path of the base ends where the provider's API begins; for an unknown server,
    whether a base without a version brought a web page, a 404, or a redirect.

    ## Why it matters
    OpenAI clients append `/chat/completions` to the base. Without `/v1` the request goes to a
    path that many gateways answer with their web page and status 200, which surfaces as
    `'str' object has no attribute 'choices'` or `Unexpected token '<'`.

    ## How to fix
    Append the version to the base URL. Claude Code and the Anthropic SDKs add `/v1` themselves
    and keep the base without it.

    ## Fix safety
    Scheme, host and port stay. For an unknown server it is a guess, tried with one request.

    ## References
    https://github.com/openai/openai-python
    """
    s = await situation(f)
    spoken = s.of(Fault.WITHOUT_VERSION)
    if not spoken:
        return
    first = spoken[0]
    version = f"/{(first.base or '').rsplit('/', 1)[-1]}"
    sure = _("The base URL lacks {version}", version=version)
    yield problem(
        _("The base URL likely lacks {version}", version=version) if first.guess else sure,
        joined(came_back(s), reason(s, first)),
        proved_title=sure,
        advice=joined(use(s, first), for_others(s, first.base or "")),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
    )
