"""KVD205: a query or a fragment hangs on the base."""

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
    visible,
)
from doctor.urls import query_names

from ._gathering import READS, situation
from ._situation import Situation
from ._words import came_back, changes, evidence, for_others, use

CODE = "KVD205"
_MOST_NAMES = 4


@check(
    code=CODE,
    slug="url-has-query-or-fragment",
    severity=Severity.ERROR,
    wants=READS,
    explains=("KVD210", "KVD510", "KVD511", "KVD515"),
)
async def url_has_query_or_fragment(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL carries a query (`?utm_source=…`) or a fragment (`#…`).

    ## What it checks
    The text of the base URL behind its path.

    ## Why it matters
    Clients append a path to the base. Python's SDKs append it behind the query, so the path
    becomes part of the last parameter and the request goes to the bare base; Node's keep the
    query at the end, so the same value works in one program and fails in another. Such a base
    was mostly copied from a link with tracking parameters.

    ## How to fix
    End the base URL with its path. A parameter that the server needs belongs into the client's
    own setting for default query parameters.

    ## Fix safety
    Scheme, host, port and path stay.

    ## References
    https://github.com/openai/openai-python
    """
    s = await situation(f)
    spoken = s.of(Fault.QUERY)
    if not spoken or s.base is None:
        return
    first = spoken[0]
    yield problem(
        _title(s),
        joined(
            _effect(s),
            came_back(s),
            _origin(s),
            use(s, first),
            for_others(s, first.base or "") if s.provider else "",
        ),
        evidence=evidence(s),
        changes=changes(CODE, spoken),
        severity=Severity.WARNING if s.path_is_meant else None,
    )


def _title(s: Situation) -> str:
    names = _names(s)
    if names:
        return _("The base URL carries a query ({names})", names=names)
    if s.base is not None and s.base.query is not None:
        return _("The base URL ends in a question mark")
    return _("The base URL carries a fragment (#…)")


def _names(s: Situation) -> str:
    names = query_names(s.base.query if s.base else None)
    shown = ", ".join(visible(name, 40) for name in names[:_MOST_NAMES])
    return shown + ("…" if len(names) > _MOST_NAMES else "")


def _effect(s: Situation) -> str:
    """What the SDKs make of it (facts/gateway-clients.md §2.1)."""
    if s.base is None or s.base.query is None:
        return _("A fragment is for browsers; it is never sent to a server.")
    if s.path_is_meant:
        return _(
            "{client} keeps the query behind the path; Python's SDKs append the path to the query "
            "and so lose it.",
            client=s.client.label,
        )
    return _(
        "Python's SDKs append the path behind the query, so that the server never sees it; Node's "
        "put the query at the end."
    )


def _origin(s: Situation) -> str:
    query = s.base.query if s.base else None
    if not query_names(query):
        return ""
    if bases.tracks(query):
        return _("These parameters come from a link on a web page and mean nothing to an API.")
    return _(
        "Where the server needs {names}, it belongs into the client's default query parameters.",
        names=_names(s),
    )
