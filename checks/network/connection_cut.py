"""KVD313: the connection ends, or brings something that is not HTTP, before any answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.network import TransportFault

from ._local_address import trouble_in
from ._way import READS, Way, direct_way
from ._words import outcome_of, paragraph

CODE = "KVD313"
_CUT = frozenset({TransportFault.RESET, TransportFault.PROTOCOL, TransportFault.OTHER})


@check(
    code=CODE,
    slug="connection-cut",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    needs=(facts.PROXY_ROUTES,),
    wants=READS,
)
async def connection_cut(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server takes the connection and ends it without an HTTP answer.

    ## What it checks
    Whether a connection that came about was reset, closed, or answered with something that is not
    HTTP, no proxy being in between.

    ## Why it matters
    The port is open, so host and port exist. Either another protocol lives there (a database, a
    gRPC or TLS port), or the server crashed on the request, or something on the way cut it.

    ## How to fix
    Check what listens on that port, and the server's log at that moment.

    ## Fix safety
    Nothing is changed.

    ## References
    https://www.rfc-editor.org/rfc/rfc9110#section-6
    """
    w = await direct_way(f)
    if w.reply is None:
        raise Unavailable(w.no_reply)
    if w.fault not in _CUT or trouble_in(w.reply.exchange.fault_text) is not None:
        return
    yield problem(
        _title(w),
        paragraph(
            _("The request fails with “{error}”.", error=visible(w.reply.exchange.fault_text, 300)),
            _meaning(w),
        ),
        evidence=outcome_of(w),
        confidence=Confidence.MEDIUM,
    )


def _title(w: Way) -> Text:
    place = {"host": w.target.host, "port": w.target.port}
    if w.fault is TransportFault.PROTOCOL:
        return _("{host} port {port} answers with something that is not HTTP", **place)
    if w.fault is TransportFault.RESET:
        return _("{host} port {port} closes the connection without an answer", **place)
    return _("The request to {host} port {port} breaks off", **place)


def _meaning(w: Way) -> Text:
    if w.target.scheme == "http":
        return _(
            "Likely the port speaks TLS or another protocol, or the server ended while it worked "
            "on the request."
        )
    return _(
        "Likely the server ended while it worked on the request, or something on the way cut the "
        "connection."
    )
