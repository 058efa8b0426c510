"""KVD324: the TLS handshake breaks off before any certificate is judged."""

from __future__ import annotations

from collections.abc import AsyncIterator

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
    facts,
    problem,
    visible,
)
from doctor.facts.network import TlsAnswer, TransportFault

from . import _owner
from ._tls_words import evidence_of_tls
from ._way import READS, Way, way
from ._words import outcome_of, paragraph, shown_proxy

CODE = "KVD324"


@check(
    code=CODE,
    slug="tls-handshake-fails",
    severity=Severity.ERROR,
    hop=Hop.TLS,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TLS),
)
async def tls_handshake_fails(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The TLS handshake breaks off, and not because of the certificate.

    ## What it checks
    Handshakes that end with an alert or with a closed connection.

    ## Why it matters
    A server that knows no host of this name, an old TLS version, a wanted client certificate, or
    a filter that cuts connections by host name look alike in a program: "Connection error".

    ## How to fix
    By the alert; see the finding.

    ## Fix safety
    Nothing is changed.

    ## References
    https://www.rfc-editor.org/rfc/rfc8446#section-6.2
    """
    w = await way(f)
    if w.target.scheme != "https":
        raise NotApplicable(_("the base URL is http"))
    tls = await f.find(facts.TLS)
    if w.reply is None and tls is None:
        raise Unavailable(w.no_reply)
    if not _fails(w, tls) or _owner.owner(w) is not None:
        return
    said = w.reply.exchange.fault_text if w.reply is not None else tls.text if tls else ""
    yield problem(
        _("The TLS handshake with {host} breaks off", host=w.target.host),
        paragraph(
            _("It fails with “{error}”.", error=visible(said, 200)),
            _meaning(said),
            _("It goes through the proxy {proxy}.", proxy=shown_proxy(w.proxy)) if w.proxy else "",
        ),
        evidence=(*evidence_of_tls(tls), *outcome_of(w)),
        confidence=Confidence.MEDIUM,
    )


def _fails(w: Way, tls: TlsAnswer | None) -> bool:
    if w.reply is not None:
        return w.fault is TransportFault.TLS_OTHER
    return tls is not None and tls.error == "other"


def _meaning(said: str) -> Text:
    text = said.lower().replace("_", " ")
    if "unrecognized name" in text:
        return _("The server knows no host of this name.")
    if "protocol version" in text or "unsupported protocol" in text:
        return _("Server and client have no TLS version in common: the server's is too old.")
    if "certificate required" in text:
        return _("The server wants a certificate of the client.")
    if "handshake failure" in text:
        return _("The server refuses: likely it knows no such host, or no cipher is in common.")
    return _(
        "The connection is closed in the middle of it: likely a filter on the way cuts it, or the "
        "server is overloaded."
    )
