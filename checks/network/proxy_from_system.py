"""KVD306: the system's proxy setting decides, without any variable."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    ProxyMode,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
)

from . import _owner
from ._way import READS, way
from ._words import (
    evidence_of_proxy,
    how_to_go_direct,
    outcome_of,
    paragraph,
    set_by_system,
    shown_proxy,
    source,
    who_is_hit,
    who_is_not,
)

CODE = _owner.SYSTEM


@check(
    code=CODE,
    slug="proxy-from-system",
    severity=Severity.INFO,
    hop=Hop.PROXY,
    needs=(facts.PROXY_ROUTES,),
    wants=READS,
)
async def proxy_from_system(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The proxy of the macOS or Windows network settings is in effect, though no variable is set.

    ## What it checks
    Whether the client's library took the proxy from the system. Python libraries do so where no
    variable ending in _proxy is set; httpx then ignores the list of exceptions that the system
    keeps. Node and curl never do.

    ## Why it matters
    A "system proxy" switched on by Clash applies to Python programs without a trace in the
    environment, so that Python fails where curl works.

    ## How to fix
    Set NO_PROXY for the host; any such variable keeps these libraries from asking the system.

    ## Fix safety
    The request goes straight to the configured host.

    ## References
    https://docs.python.org/3/library/urllib.request.html#urllib.request.getproxies
    """
    w = await way(f)
    if not set_by_system(w):
        raise NotApplicable(_("no system proxy is in effect"))
    if w.proxy is None:
        return
    mine = _owner.owner(w) == CODE
    yield problem(
        _(
            "{source}: requests go through {proxy}, though no variable says so",
            source=source(w),
            proxy=shown_proxy(w.proxy),
        ),
        paragraph(
            _(
                "Python programs ask the system where no variable ending in _proxy is set, and "
                "httpx ignores the system's exceptions."
            ),
            how_to_go_direct(w),
            who_is_not(w) if not _owner.owner(w) or mine else "",
        ),
        evidence=(*evidence_of_proxy(w, None), *outcome_of(w)),
        changes=(
            Change(
                CODE,
                SettingName.PROXY,
                ProxyMode.DIRECT.value,
                _("go to {host} without the system's proxy", host=w.target.host),
                guess=True,
            ),
        )
        if mine
        else (),
        severity=Severity.ERROR if mine else Severity.INFO,
        confidence=Confidence.MEDIUM if mine else Confidence.HIGH,
        explains=_owner.CONSEQUENCES if mine else (),
        clients=who_is_hit(w),
    )
