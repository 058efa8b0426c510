"""KVD210: HTML where JSON is due, and no other base to blame."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.bases import Fault
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    joined,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind, Reply
from doctor.firewalls import is_firewall
from doctor.patterns import Pattern
from doctor.urls import shown

from ._gathering import READS, situation
from ._situation import Situation
from ._words import came_back, evidence

CODE = "KVD210"
_TITLE = Pattern(r"<title[^>]*>\s*(.{1,120}?)\s*</title>", re.IGNORECASE | re.DOTALL)


@check(
    code=CODE,
    slug="url-serves-a-web-page",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    wants=READS,
    explains=("KVD510", "KVD515"),
)
async def url_serves_a_web_page(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A web page comes back where an API would answer in JSON.

    ## What it checks
    The content of the answer to the request.

    ## Why it matters
    With status 200 no client calls it an error: the text surfaces as `'str' object has no
    attribute 'choices'`, `Unexpected token '<'`, or as a stream without a single chunk.

    ## How to fix
    Mostly the path of the base URL is wrong, and the checks of the base URL say which one is
    right. Where none of them finds one, a firewall, a login page of the network or a maintenance
    page stands in front of the API; its title says which.

    ## Fix safety
    Nothing is changed by this check.

    ## References
    https://github.com/openai/openai-python
    """
    s = await situation(f)
    if s.reply is None:
        raise Unavailable(s.unavailable or _("no request was made"))
    if s.reply.outcome.kind is OutcomeKind.TRANSPORT:
        raise NotApplicable(_("no answer came"))
    if s.reply.outcome.kind is not OutcomeKind.WEB_PAGE:
        return
    yield problem(
        _title(s.reply),
        joined(came_back(s), _whose(s.reply), _meaning(s.reply)),
        evidence=evidence(s),
        explains=_faint(s),
    )


# A base that looks right is doubted for the page's sake alone.
_DOUBTS = {
    Fault.DOUBLED: "KVD203",
    Fault.NOT_SERVED_VERSION: "KVD216",
    Fault.OTHER_CLIENT: "KVD209",
    Fault.OTHER_PROVIDER: "KVD211",
    Fault.WITHOUT_PREFIX: "KVD202",
}


def _faint(s: Situation) -> tuple[str, ...]:
    """The codes of guesses that have nothing but this page to stand on."""
    sure = {one.fault for one in s.spoken if one.confidence > Confidence.LOW}
    faint = dict.fromkeys(one.fault for one in s.spoken if one.fault not in sure)
    return tuple(_DOUBTS[fault] for fault in faint if fault in _DOUBTS)


def _title(reply: Reply) -> Text:
    if (reply.exchange.status or 0) >= 400 and is_firewall(reply.exchange.body):
        return _("A firewall in front of the server refuses the request")
    return _("A web page comes back where JSON is due")


def _whose(reply: Reply) -> str:
    match = _TITLE.search(reply.exchange.body)
    if match is None:
        return ""
    title = visible(" ".join(match.group(1).split()), 80)
    return _("The page is titled “{title}”.", title=title)


def _meaning(reply: Reply) -> Text:
    status = reply.exchange.status or 0
    if status in (401, 403, 429) or status >= 500:
        return _(
            "With status {status} it is likely the page of a firewall or of a server in front of "
            "the API at {url}, not the API's answer.",
            status=status,
            url=shown(reply.exchange.url),
        )
    return _(
        "No API answers at {url}: the path is wrong, or a login page stands in between.",
        url=shown(reply.exchange.url),
    )
