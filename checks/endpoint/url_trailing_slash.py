"""KVD217: a slash at the end that leads to another path."""

from __future__ import annotations

from collections.abc import AsyncIterator

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
from doctor.urls import shown

from . import _replies
from ._gathering import READS, situation
from ._situation import Situation, ToldBy
from ._words import came_back, changes, evidence, use

CODE = "KVD217"


@check(
    code=CODE,
    slug="url-trailing-slash",
    severity=Severity.ERROR,
    wants=READS,
    explains=("KVD210", "KVD510", "KVD511", "KVD515"),
)
async def url_trailing_slash(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A slash at the end of the base URL, or one that the server wants there, makes another path.

    ## What it checks
    Only where a request failed: whether the client joined the base to a double slash, and whether
    the server redirects between the path with and without a slash.

    ## Why it matters
    Most clients drop the slash; a few join naively and ask for `/v1//chat/completions`, which
    many routers do not know. A 301 between the two spellings turns POST into GET.

    ## How to fix
    End the base URL without a slash, unless the client resolves against it like a link
    (claude-code-router's transformer gemini), which loses what stands behind the last slash.

    ## Fix safety
    Nothing but the slash changes.

    ## References
    https://www.rfc-editor.org/rfc/rfc9110#section-15.4.2
    """
    s = await situation(f)
    for spoken in s.of(Fault.SLASH):
        yield problem(
            _title(s),
            joined(came_back(s), _meaning(s), use(s, spoken)),
            evidence=evidence(s),
            changes=changes(CODE, (spoken,)),
        )


def _title(s: Situation) -> Text:
    if s.base is not None and s.base.trailing_slash:
        return _("The slash at the end of the base URL leads to another path")
    if s.convention.in_place:
        return _("The base URL lacks the slash at its end")
    return _("The server wants a slash that {client} does not send", client=s.client.label)


def _meaning(s: Situation) -> str:
    if any(one.told_by is ToldBy.REDIRECT for one in s.spoken):
        lost = s.reply is not None and _replies.turns_post_into_get(s.reply)
        if lost:
            return _("On this redirect clients turn POST into GET, so the request is lost.")
        return _("The two spellings differ by a slash only.")
    url = s.endpoint.url if s.endpoint is not None else None
    if s.convention.in_place:
        return _(
            "{client} puts the model in the place of what stands behind the last slash, and asks "
            "{url}.",
            client=s.client.label,
            url=shown(url or ""),
        )
    return _(
        "{client} joins base and path to {url}, with a double slash.",
        client=s.client.label,
        url=shown(url or ""),
    )
