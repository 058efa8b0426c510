"""KVD209: the base is right for another client than the one that reads it."""

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
from ._situation import Situation, Spoken
from ._words import (
    appended,
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

CODE = "KVD209"


@check(
    code=CODE,
    slug="url-convention-of-another-client",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_convention_of_another_client(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL is right for one family of clients and wrong for the one that reads it.

    ## What it checks
    What this client appends to its base, and the paths that the provider documents for OpenAI
    and for Anthropic clients.

    ## Why it matters
    One gateway wants different bases: OpenAI clients append `/chat/completions` and need `/v1`
    in the base; Claude Code and the Anthropic SDKs append `/v1/messages` and must not have it;
    opencode and newer Cline append `/messages` and need it again. Copied from one program into
    another the value ends in a 404 or a web page.

    ## How to fix
    Give each client its own base.

    ## Fix safety
    Scheme, host and port stay. Where the provider is not known it is a guess unless the client's
    own rule proves it.

    ## References
    https://docs.anthropic.com/en/docs/claude-code/llm-gateway
    """
    s = await situation(f)
    spoken = s.of(Fault.OTHER_CLIENT)
    if not spoken:
        return
    first = spoken[0]
    yield problem(
        _title(s, first),
        joined(
            came_back(s),
            _doubling(s),
            reason(s, first),
            use(s, first),
            for_others(s, first.base or ""),
        ),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
        clients=(s.client.label,),
    )


def _title(s: Situation, spoken: Spoken) -> Text:
    segments = () if s.base is None else s.base.segments
    own = s.convention.appends[:1]
    if s.convention.adds_version and bases.has_version(segments) and own[0] not in segments:
        return _(
            "The base URL has {version}, the path of another API",
            version=path_of(segments[-1:]),
        )
    if s.convention.adds_version and bases.has_version(segments):
        return _(
            "The base URL ends in {version}, which {client} adds itself",
            version=path_of(segments[-1:]),
            client=s.client.label,
        )
    if s.convention.takes_endpoint:
        return _("{client} wants the whole endpoint, not a base URL", client=s.client.label)
    right = (spoken.base or "").rsplit("/", 1)[-1]
    if not s.convention.anthropic and bases.is_version(right):
        return _(
            "The base URL lacks /{version}: as it is, it suits Anthropic clients only",
            version=right,
        )
    return _("The base URL is the one for another kind of client")


def _doubling(s: Situation) -> str:
    segments = () if s.base is None else s.base.segments
    if not s.convention.adds_version or segments[-1:] != s.convention.appends[:1]:
        return ""
    return _(
        "{client} appends {path}, so that the request goes to {doubled}.",
        client=s.client.label,
        path=appended(s),
        doubled=path_of((*segments, *s.convention.appends)),
    )
