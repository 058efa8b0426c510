"""Which store of certificates a program asks, and the variable that changes it, by its library."""

from __future__ import annotations

from doctor.checkapi import Evidence, Text, _, visible
from doctor.facts.network import TlsAnswer

_OPENSSL = ("SSL_CERT_FILE", "SSL_CERT_DIR")
# The variables that each library reads, the first that is set wins (facts/gateway-clients.md
# §2.5; Bun programs take SSL_CERT_FILE as well: case BR-082).
VARIABLES = {
    "httpx2": _OPENSSL,
    "httpx": _OPENSSL,
    "urllib": _OPENSSL,
    "aiohttp": _OPENSSL,
    "requests": ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    "node-fetch": ("NODE_EXTRA_CA_CERTS",),
    "node-env-proxy": ("NODE_EXTRA_CA_CERTS",),
    "axios": ("NODE_EXTRA_CA_CERTS",),
    "claude-code": ("NODE_EXTRA_CA_CERTS",),
    "bun": ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"),
    "codex": ("CODEX_CA_CERTIFICATE", *_OPENSSL),
    "curl": ("CURL_CA_BUNDLE", *_OPENSSL),
}
# These bring Mozilla's list along and do not look into the system's store.
_MOZILLA = frozenset({"httpx", "requests", "node-fetch", "node-env-proxy", "axios"})
# These add the variable's file to what they trust; for the others it takes the store's place.
ADDS = frozenset({"node-fetch", "node-env-proxy", "axios", "claude-code", "bun"})
_FALLBACK = "httpx2"


def variables_of(stack: str) -> tuple[str, ...]:
    """The variables with which a program on ``stack`` is told what to trust."""
    return VARIABLES.get(stack, VARIABLES[_FALLBACK])


def own_store_accepts(stack: str, tls: TlsAnswer) -> bool | None:
    """Whether the store that the library takes by itself accepts the certificate."""
    return tls.certifi_ok if stack in _MOZILLA else tls.system_ok


def who_accepts(tls: TlsAnswer) -> Text | str:
    """Which programs would accept the certificate as it is."""
    if tls.system_ok and tls.certifi_ok is False:
        return _(
            "The system's store accepts it and Mozilla's list does not: curl, browsers and SDKs on "
            "httpx2 work, requests, httpx 0.28 and Node do not."
        )
    if tls.certifi_ok and tls.system_ok is False:
        return _(
            "Mozilla's list accepts it and the system's store does not: requests, httpx 0.28 and "
            "Node work. The system's certificates are old or missing: install ca-certificates."
        )
    if tls.certifi_ok is False and tls.system_ok is False:
        return _("Neither the system's store nor Mozilla's list accepts it.")
    return ""


def evidence_of_tls(tls: TlsAnswer | None) -> tuple[Evidence, ...]:
    """The certificate and what the handshake said."""
    if tls is None:
        return ()
    found = (
        (_("issuer"), tls.issuer),
        (_("subject"), tls.subject),
        (_("names"), ", ".join(tls.names[:8])),
        (_("valid"), f"{tls.not_before} - {tls.not_after}" if tls.not_after else ""),
        (_("store"), tls.store),
        (_("error"), tls.text),
    )
    return tuple(Evidence("TLS", place, visible(value, 300)) for place, value in found if value)
