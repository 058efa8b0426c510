"""KVD322: the certificate is another host's, or is not valid today."""

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

from ._tls_words import evidence_of_tls
from ._way import READS, Way, way
from ._words import outcome_of, paragraph

CODE = "KVD322"
_DATE_WORDS = ("expired", "not yet valid")


@check(
    code=CODE,
    slug="tls-name-or-date",
    severity=Severity.ERROR,
    hop=Hop.TLS,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TLS),
)
async def tls_name_or_date(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server's certificate is for other names than the base URL's host, or out of its dates.

    ## What it checks
    The names in the certificate against the host, and its validity period against this machine's
    clock.

    ## Why it matters
    An address in place of a name, a wrong subdomain or another virtual host give a certificate of
    somebody else. A clock that is years off makes every certificate invalid.

    ## How to fix
    Use a name that the certificate holds, renew it, or set the clock.

    ## Fix safety
    Another host is another place for the key, so the names are shown and not tried.

    ## References
    https://www.rfc-editor.org/rfc/rfc9110#section-4.3.4
    """
    w = await way(f)
    if w.target.scheme != "https":
        raise NotApplicable(_("the base URL is http"))
    tls = await f.find(facts.TLS)
    if w.reply is None and tls is None:
        raise Unavailable(w.no_reply)
    if not _fails(w, tls):
        return
    dated = _is_about_dates(w, tls)
    yield problem(
        _("The certificate of {host} is not valid today", host=w.target.host)
        if dated
        else _("The certificate is not for {host}", host=w.target.host),
        _dates(tls) if dated else _names(w, tls),
        evidence=(*evidence_of_tls(tls), *outcome_of(w)),
    )


def _fails(w: Way, tls: TlsAnswer | None) -> bool:
    if w.reply is not None:
        return w.fault is TransportFault.TLS_NAME_OR_DATE
    return tls is not None and tls.error in ("name", "date")


def _is_about_dates(w: Way, tls: TlsAnswer | None) -> bool:
    if tls is not None and tls.error in ("name", "date"):
        return tls.error == "date"
    said = "" if w.reply is None else w.reply.exchange.fault_text
    return any(word in said for word in _DATE_WORDS)


def _dates(tls: TlsAnswer | None) -> str:
    if tls is None or not tls.not_after:
        return _(
            "It has expired or is not valid yet. If it should be, this machine's clock is wrong."
        )
    return _(
        "It is valid from {start} to {end}. The server's owner has to renew it; if today lies in "
        "between, this machine's clock is wrong.",
        start=visible(tls.not_before, 40),
        end=visible(tls.not_after, 40),
    )


def _names(w: Way, tls: TlsAnswer | None) -> str:
    names = ", ".join(visible(name, 80) for name in (tls.names if tls is not None else ())[:5])
    return paragraph(
        _("It holds: {names}.", names=names) if names else "",
        _(
            "Likely the base URL should name one of these, or another server answers at this "
            "address."
        )
        if names
        else _("Likely another server answers at this address."),
        _("The key is configured for {host}, so no other name was tried.", host=w.target.host),
    )
