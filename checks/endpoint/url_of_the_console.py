"""KVD215: an address for people in place of the API's."""

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
from ._situation import Situation, Spoken, ToldBy
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

CODE = "KVD215"


@check(
    code=CODE,
    slug="url-of-the-console",
    severity=Severity.ERROR,
    wants=READS,
)
async def url_of_the_console(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL is a page for people: a console, a documentation page, a website.

    ## What it checks
    Host and path against the providers' consoles, documentation and websites; for an unknown
    server, whether the path looks like a page's and brought nothing.

    ## Why it matters
    It is the address in the browser's bar while the key is created, so it gets copied. Behind it
    there is a page and no API.

    ## How to fix
    Use the API's address. It may be on another host (`platform.openai.com` and
    `api.openai.com`).

    ## Fix safety
    A change is offered only where the API is on the same host. For another host the address is
    named, and nothing is sent there.

    ## References
    https://taotoken.net/doc
    """
    s = await situation(f)
    spoken = s.of(Fault.CONSOLE)
    if not spoken:
        return
    first = spoken[0]
    yield problem(
        _title(s, first),
        joined(came_back(s), *_way(s, first)),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        confidence=confidence(spoken),
        explains=consequences(spoken),
    )


def _title(s: Situation, spoken: Spoken) -> Text:
    provider = s.console_of
    if provider is not None:
        return _(
            "The base URL is a page of {provider}'s website, not its API", provider=provider.label
        )
    if spoken.told_by is ToldBy.REDIRECT:
        return _("The base URL leads to a page on another host")
    path = path_of(s.base.segments) if s.base else ""
    return _("The base URL is likely a page for people: {path}", path=path)


def _way(s: Situation, spoken: Spoken) -> tuple[str, ...]:
    if spoken.base is not None:
        return (reason(s, spoken), use(s, spoken), for_others(s, spoken.base))
    provider = s.console_of
    elsewhere = None if provider is None else provider.base(s.convention.protocol)
    if elsewhere is not None:
        return (
            _(
                "The base URL for {client} is {base}. It is on another host, so set it yourself; "
                "the key was not sent there.",
                client=s.client.label,
                base=elsewhere,
            ),
        )
    target = None if s.reply is None else _replies.redirect_target(s.reply)
    if target is None:
        return ()
    return (
        _(
            "The key is not sent to {host}. {url} is no address of an API.",
            host=target.host,
            url=shown(s.given),
        ),
    )
