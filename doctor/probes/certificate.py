"""What stands in a server's certificate, trusted or not."""

from __future__ import annotations

import datetime
import ssl
from typing import Any

from doctor.records import dataclass
from doctor.untrusted import visible

_MOST_NAMES = 50
_NAMED_BY = ("commonName", "organizationName", "organizationalUnitName")


@dataclass(frozen=True, slots=True)
class Certificate:
    """Names as text for people, times in ISO 8601 (UTC); empty where there is nothing."""

    issuer: str = ""
    subject: str = ""
    names: tuple[str, ...] = ()
    not_before: str = ""
    not_after: str = ""
    self_signed: bool = False


def certificate_of(connection: ssl.SSLObject, context: ssl.SSLContext) -> Certificate:
    """The peer's certificate of a handshake that verified nothing.

    The standard library takes a certificate apart only under a context that verifies; it looks at
    that when it is asked, so the finished handshake's own context is switched over. It was made
    for this one handshake.
    """
    context.verify_mode = ssl.CERT_REQUIRED
    return read(connection.getpeercert() or {})


def read(told: dict[str, Any]) -> Certificate:
    """From ``getpeercert()``'s form."""
    issuer, subject = told.get("issuer", ()), told.get("subject", ())
    names = [str(value) for kind, value in told.get("subjectAltName", ()) if kind != "DirName"]
    return Certificate(
        issuer=_name(issuer),
        subject=_name(subject),
        names=tuple(visible(name, 255) for name in names[:_MOST_NAMES]),
        not_before=_time(told.get("notBefore")),
        not_after=_time(told.get("notAfter")),
        self_signed=bool(issuer) and issuer == subject,
    )


def _name(parts: Any) -> str:
    """``R11 (Let's Encrypt)``: the common name with the organisation behind it."""
    fields = {key: value for group in parts for key, value in group}
    found = [visible(str(fields[name]), 200) for name in _NAMED_BY if fields.get(name)]
    if not found:
        return ""
    return found[0] if len(found) == 1 else f"{found[0]} ({found[1]})"


def _time(text: str | None) -> str:
    if not text:
        return ""
    try:
        seconds = ssl.cert_time_to_seconds(text)
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return visible(text, 60)
    return moment.isoformat().replace("+00:00", "Z")
