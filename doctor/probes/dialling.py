"""``--connect-to``: another machine is dialled, the names in TLS and the Host header stay."""

from __future__ import annotations

from dataclasses import field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from doctor.context import Options
from doctor.probes.request import origin_of
from doctor.records import dataclass

_PROXY_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080}


@dataclass(frozen=True, slots=True)
class Dialled:
    """The URL to hand to the HTTP library, with what keeps the original name in the request."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    extensions: dict[str, Any] = field(default_factory=dict)


def dial(options: Options, host: str, port: int) -> tuple[str, int]:
    """Where to connect for ``host``:``port``."""
    return options.connect_to.get((host.lower(), port), (host, port))


def dialled(options: Options, url: str) -> Dialled:
    """``url`` as it is dialled; as it is where no mapping meets it."""
    origin = origin_of(url)
    if origin is None or (origin[1], origin[2]) not in options.connect_to:
        return Dialled(url)
    host, port = dial(options, origin[1], origin[2])
    parts = urlsplit(url)
    netloc = parts.netloc.rpartition("@")[2]
    return Dialled(
        urlunsplit(parts._replace(netloc=_netloc(host, port))),
        (("host", netloc),),
        {"sni_hostname": origin[1]},
    )


def proxy_address(url: str) -> tuple[str, int]:
    """Host and port of a proxy's URL. Raises ``ValueError`` where it has none."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError(f"no host in the proxy URL {url!r}")
    return parts.hostname, parts.port or _PROXY_PORTS.get(parts.scheme.lower(), 80)


def proxy_to_dial(options: Options, url: str) -> str:
    """The proxy's URL with its mapping applied. Raises ``ValueError``."""
    if not options.connect_to:
        return url
    host, port = proxy_address(url)
    if (host.lower(), port) not in options.connect_to:
        return url
    parts = urlsplit(url)
    userinfo, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=userinfo + at + _netloc(*dial(options, host, port))))


def _netloc(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
