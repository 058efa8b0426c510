"""KVD320: the client does not trust who issued the server's certificate."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    SettingName,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TlsAnswer, TransportFault
from doctor.patterns import Pattern
from doctor.urls import is_local

from ._tls_words import ADDS, evidence_of_tls, variables_of, who_accepts
from ._way import READS, Way, way
from ._words import outcome_of, paragraph, shown_proxy

CODE = "KVD320"
# Programs and companies that re-sign what passes through them.
_INTERCEPTORS = Pattern(
    r"zscaler|netskope|fortinet|fortigate|palo alto|blue ?coat|symantec web|forcepoint|sophos"
    r"|cisco umbrella|mcafee web|kaspersky|eset ssl|avast|bitdefender|charles|mitmproxy|fiddler"
    r"|proxyman|whistle|burp",
    re.I,
)
# The words of Go, OpenSSL and Node.
_BEHIND = Pattern(
    r"x509: certificate signed by unknown authority|certificate_verify_failed"
    r"|self[- _]signed[- _]cert(?:ificate)?|unable_to_(?:get|verify)_\w*|"
    r"unable to (?:get (?:local )?issuer|verify the first) certificate",
    re.I,
)
_ABOUT_THE_BACKEND = (OutcomeKind.UPSTREAM_UNREACHABLE, OutcomeKind.SERVER_ERROR)
# Where distributions keep the system's store.
_LINUX_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
)
_OFF = "NODE_TLS_REJECT_UNAUTHORIZED"


@check(
    code=CODE,
    slug="tls-untrusted",
    severity=Severity.ERROR,
    hop=Hop.TLS,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TLS),
)
async def tls_untrusted(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The client does not trust the issuer of the server's certificate.

    ## What it checks
    The TLS handshake by the client's own store, who issued the certificate, and what the system's
    store and Mozilla's list (certifi) say to it. Also whether `NODE_TLS_REJECT_UNAUTHORIZED=0` has
    switched the verification off for every Node program.

    ## Why it matters
    A company's firewall or a debugging proxy re-signs TLS with a certificate of its own. Where the
    system knows it, curl and browsers work and programs with a list of their own fail. With the
    verification off, anybody on the way can read the key.

    ## How to fix
    Give the client's runtime the issuer's certificate as a PEM file: SSL_CERT_FILE for the Python
    SDKs, REQUESTS_CA_BUNDLE for requests, NODE_EXTRA_CA_CERTS for Node. Never switch verification
    off.

    ## Fix safety
    Only stores of the system are tried; no certificate of the server is added to them.

    ## References
    https://nodejs.org/api/cli.html#node_extra_ca_certsfile
    """
    w = await way(f)
    if (said := _of_the_backend(w)) is not None:
        yield said
        return
    if w.target.scheme != "https":
        raise NotApplicable(_("the base URL is http"))
    off = w.variables.find(_OFF)
    if off is not None and off.value == "0":
        yield _verification_off()
    tls = await f.find(facts.TLS)
    if w.reply is None and tls is None:
        raise Unavailable(w.no_reply)
    if _untrusted(w, tls):
        yield _finding(w, tls)


def _of_the_backend(w: Way) -> Finding | None:
    """Where the gateway says so of the server behind it."""
    if w.reply is None or w.kind not in _ABOUT_THE_BACKEND:
        return None
    exchange = w.reply.exchange
    match = _BEHIND.search(w.reply.outcome.message or exchange.body[:2_000])
    if match is None:
        return None
    host = w.target.host
    return problem(
        _("{host} does not trust the certificate of its backend", host=host),
        paragraph(
            _("It says: “{message}”.", message=visible(match.group(0))),
            _(
                "A firewall or a debugging proxy re-signs TLS between {host} and its backend, or"
                " the backend's certificate is from an issuer of its own. Give the machine or the"
                " container of the gateway the issuer's certificate, or take the proxy out of the"
                " way. Your request and your key are not at fault.",
                host=host,
            ),
        ),
        evidence=outcome_of(w),
        hop=Hop.ROUTE,
        explains=("KVD330",),
    )


def _untrusted(w: Way, tls: TlsAnswer | None) -> bool:
    if w.reply is not None:
        return w.fault is TransportFault.TLS_UNTRUSTED
    return tls is not None and tls.error == "untrusted"


def _finding(w: Way, tls: TlsAnswer | None) -> Finding:
    name = variables_of(w.mine.stack)[0]
    return problem(
        _title(w, tls),
        paragraph(
            _who(w, tls),
            "" if tls is None else who_accepts(tls),
            _(
                "Save the issuer's certificate as a PEM file and set {name}=/path/to/issuer.pem.",
                name=name,
            ),
            _(
                "That file takes the place of the system's store, so put the public roots in it "
                "too if this program talks to other hosts."
            )
            if w.mine.stack not in ADDS
            else "",
        ),
        evidence=(*evidence_of_tls(tls), *outcome_of(w)),
        changes=_changes(w, tls),
    )


def _title(w: Way, tls: TlsAnswer | None) -> Text:
    host = w.target.host
    if tls is not None and tls.self_signed:
        return _("The certificate of {host} is self-signed", host=host)
    if tls is not None and tls.issuer:
        issuer = visible(tls.issuer, 100)
        return _(
            "The certificate of {host} is issued by {issuer}, which this client does not trust",
            host=host,
            issuer=issuer,
        )
    return _("The certificate of {host} is not trusted by this client", host=host)


def _who(w: Way, tls: TlsAnswer | None) -> Text | str:
    if tls is not None and _INTERCEPTORS.search(f"{tls.issuer} {tls.subject}"):
        return _("The issuer re-signs what passes through it: the connection is intercepted.")
    if tls is not None and tls.self_signed and is_local(w.target.host):
        return _("The server made its certificate itself.")
    if w.proxy is not None:
        return _(
            "Likely the proxy {proxy} re-signs TLS with a certificate of its own.",
            proxy=shown_proxy(w.proxy),
        )
    if is_local(w.target.host):
        return ""
    return _("Likely a company's firewall or a debugging proxy re-signs TLS on the way.")


def _changes(w: Way, tls: TlsAnswer | None) -> tuple[Change, ...]:
    """The system's store, where that one accepts and the client does not look into it."""
    if tls is None or not tls.system_ok or w.environment.platform != "linux":
        return ()
    name = variables_of(w.mine.stack)[0]
    return tuple(
        Change(
            CODE,
            SettingName.CA_BUNDLE,
            path,
            _("trust the system's certificates: {line}", line=f"{name}={path}"),
            guess=True,
            rank=rank,
        )
        for rank, path in enumerate(_LINUX_BUNDLES)
    )


def _verification_off() -> Finding:
    return problem(
        _("NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off for every Node program"),
        _(
            "Whoever sits on the way can read the key. It is usually set where TLS is intercepted: "
            "set NODE_EXTRA_CA_CERTS to the issuer's PEM file instead and unset "
            "NODE_TLS_REJECT_UNAUTHORIZED."
        ),
        evidence=(Evidence(_("environment"), _OFF, "0"),),
        severity=Severity.WARNING,
        hop=Hop.CONFIGURATION,
    )
