"""KVD211: the path is another provider's, or the provider's native API."""

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
from doctor.connection import Protocol
from doctor.urls import Base

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

CODE = "KVD211"
_ROUTER = "claude-code-router"


@check(
    code=CODE,
    slug="url-version-of-another-provider",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_version_of_another_provider(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The path of the base URL belongs to another provider, or to the provider's native API.

    ## What it checks
    The path against the providers' table; for an unknown server, whether a path such as `/v4`,
    `/api/v3` or `/compatible-mode/v1` brought nothing.

    ## Why it matters
    The version segment is no standard: Zhipu and Z.ai use `/api/paas/v4`, Volcengine `/api/v3`,
    DashScope `/compatible-mode/v1` beside its native `/api/v1`, which knows no
    `/chat/completions`.

    ## How to fix
    Take the path that this provider documents for OpenAI-compatible (or Anthropic) clients.

    ## Fix safety
    Scheme, host and port stay. For an unknown server it is a guess, tried with one request.

    ## References
    https://help.aliyun.com/zh/model-studio/
    """
    s = await situation(f)
    spoken = s.of(Fault.OTHER_PROVIDER)
    if not spoken or s.base is None:
        return
    first = spoken[0]
    path = path_of(s.base.segments)
    title = (
        _("The path {path} is likely another provider's", path=path)
        if first.guess or s.provider is None
        else _(
            "{provider} does not serve this API below {path}",
            provider=s.provider.label,
            path=path,
        )
    )
    yield problem(
        title,
        joined(came_back(s), reason(s, first), _of_google(s)),
        proved_title=_("The path {path} is another provider's", path=path)
        if first.guess
        else title,
        advice=joined(use(s, first), for_others(s, first.base or "")),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
    )


def _of_google(s: Situation) -> Text | str:
    """Which of the two APIs of Google this client asks, where it has the path of the other."""
    native = s.connection.protocol is Protocol.GEMINI_GENERATE
    if native and s.client.id == _ROUTER:
        return _(
            "The transformer gemini asks Google's own API (generateContent), which is not below "
            "an OpenAI-compatible path; without that transformer such a path is right."
        )
    if not native and s.client.id == _ROUTER and s.base is not None and _is_native(s.base):
        return _(
            "This is the path of Google's own API, which needs the transformer gemini: with "
            '"use": ["gemini"] the address may stay.'
        )
    return ""


def _is_native(base: Base) -> bool:
    """``/v1beta/models``"""
    return base.segments[-1:] == ("models",) and bases.has_version(base.segments)
