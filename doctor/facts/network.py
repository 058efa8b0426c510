"""The way to the server: where a request goes, by which proxy, over which connection.

Times are milliseconds.
"""

from __future__ import annotations

import enum

from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the client's request goes: base and path joined by the client's own rule.

    ``url`` is None where the client itself refuses the base; ``refusal`` is then its text.
    """

    url: str | None
    scheme: str = ""
    host: str = ""
    port: int = 0
    path: str = ""
    models_url: str | None = None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class StackRoute:
    """What one HTTP stack does with the proxy settings for one URL.

    ``proxy`` None means direct. ``error`` is the text with which the stack refuses to start.
    ``variable`` is the setting that decided ("HTTPS_PROXY", "NO_PROXY", "macOS system proxy").
    """

    stack: str
    proxy: str | None
    variable: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ProxyRoutes:
    """The route of the examined client, and how other stacks would go."""

    mine: StackRoute
    others: tuple[StackRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class TcpAnswer:
    """One TCP connect. ``error`` is one of refused, timeout, unreachable, address, other."""

    host: str
    address: str
    port: int
    ok: bool
    ms: int
    error: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """Addresses of a name, in the system's order; empty with ``error`` where it fails."""

    host: str
    addresses: tuple[str, ...]
    ms: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TlsAnswer:
    """One TLS handshake judged by two trust stores.

    ``error`` None means that the client's own store accepts it. Kinds: untrusted, name, date,
    not-tls, other. ``system_ok``/``certifi_ok`` None: not tried.
    """

    ok: bool
    ms: int
    error: str | None = None
    text: str = ""
    issuer: str = ""
    subject: str = ""
    names: tuple[str, ...] = ()
    not_before: str = ""
    not_after: str = ""
    self_signed: bool = False
    system_ok: bool | None = None
    certifi_ok: bool | None = None
    store: str = ""


class TransportFault(enum.StrEnum):
    """Why no HTTP answer came."""

    ILLEGAL_HEADER = "illegal-header"
    ENCODING = "encoding"
    INVALID_URL = "invalid-url"
    PROXY_SETTING = "proxy-setting"
    PROXY_UNREACHABLE = "proxy-unreachable"
    PROXY_REFUSES = "proxy-refuses"
    DNS = "dns"
    REFUSED = "refused"
    CONNECT_TIMEOUT = "connect-timeout"
    READ_TIMEOUT = "read-timeout"
    RESET = "reset"
    TLS_UNTRUSTED = "tls-untrusted"
    TLS_NAME_OR_DATE = "tls-name-or-date"
    TLS_TO_PLAIN = "tls-to-plain"
    TLS_SETTING = "tls-setting"
    TLS_OTHER = "tls-other"
    PLAIN_TO_TLS = "plain-to-tls"
    PROTOCOL = "protocol"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect that was answered and not followed with the key to another origin."""

    status: int
    location: str
    same_origin: bool
