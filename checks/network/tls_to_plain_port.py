"""KVD323: TLS is spoken to a port that speaks none."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.network import TlsAnswer, TransportFault

from . import _owner
from ._way import READS, Way, way
from ._words import outcome_of, paragraph

CODE = "KVD323"


@check(
    code=CODE,
    slug="tls-to-plain-port",
    severity=Severity.ERROR,
    hop=Hop.TLS,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TLS),
)
async def tls_to_plain_port(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL says https, and the port answers with something that is no TLS.

    ## What it checks
    The first bytes that come back in the handshake: `[SSL: WRONG_VERSION_NUMBER]`. Whether the
    server wants http is for KVD207, which is then the cause of this.

    ## Why it matters
    Certificates, proxies and keys are not at fault: the port is not a TLS port.

    ## How to fix
    Write the port that speaks TLS, or http where the server speaks that.

    ## Fix safety
    https is never taken down to http here.

    ## References
    https://www.rfc-editor.org/rfc/rfc8446#section-4
    """
    w = await way(f)
    if w.target.scheme != "https":
        raise NotApplicable(_("the base URL is http"))
    tls = await f.find(facts.TLS)
    if w.reply is None and tls is None:
        raise Unavailable(w.no_reply)
    if not _speaks_none(w, tls) or _owner.owner(w) is not None:
        return
    said = tls.text if tls is not None and tls.text else ""
    if not said and w.reply is not None:
        said = w.reply.exchange.fault_text
    yield problem(
        _("{host} port {port} speaks no TLS", host=w.target.host, port=w.target.port),
        paragraph(
            _("The handshake fails with “{error}”.", error=visible(said, 200)),
            _("The base URL says https: likely the scheme or the port is wrong."),
        ),
        evidence=outcome_of(w),
    )


def _speaks_none(w: Way, tls: TlsAnswer | None) -> bool:
    if w.reply is not None:
        return w.fault is TransportFault.TLS_TO_PLAIN
    return tls is not None and tls.error == "not-tls"
