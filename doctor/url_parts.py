"""An http URL taken apart, and what is asked of its host. No text is repaired here."""

from __future__ import annotations

import dataclasses
import enum
import ipaddress

from doctor.records import dataclass

DEFAULT_PORTS = {"http": 80, "https": 443}


class Defect(enum.StrEnum):
    """What makes a text no clean http URL. The last six cannot be repaired from the text alone."""

    BLANK = "blank"
    INVISIBLE = "invisible"
    QUOTES = "quotes"
    FULL_WIDTH = "full-width"
    BACKSLASH = "backslash"
    LEADING_JUNK = "leading-junk"
    TRAILING_JUNK = "trailing-junk"
    SCHEME_MISSING = "scheme-missing"
    SCHEME_MISSPELT = "scheme-misspelt"
    SCHEME_DOUBLED = "scheme-doubled"
    EMPTY_SEGMENT = "empty-segment"
    COMMENT = "comment"
    EMPTY = "empty"
    PLACEHOLDER = "placeholder"
    SCHEME_OTHER = "scheme-other"
    HOST = "host"
    PORT = "port"
    SPLIT_HOST = "split-host"


@dataclass(frozen=True, slots=True)
class Base:
    """An http URL taken apart.

    ``host`` is lower-case and without brackets; ``port`` is None where it is absent or the
    scheme's own. ``segments`` are those of the path, none empty. ``query`` and ``fragment`` are
    None where absent.
    """

    scheme: str
    host: str
    port: int | None = None
    segments: tuple[str, ...] = ()
    query: str | None = None
    fragment: str | None = None
    userinfo: str | None = None
    trailing_slash: bool = False

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and the port that is dialled."""
        return (self.scheme, self.host, self.port or DEFAULT_PORTS[self.scheme])

    @property
    def root(self) -> str:
        """The URL without path, query and fragment."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = "" if self.userinfo is None else f"{self.userinfo}@"
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{user}{host}{port}"

    @property
    def path(self) -> str:
        """``/api/v1``; empty for the bare host."""
        return "".join(f"/{segment}" for segment in self.segments)

    @property
    def url(self) -> str:
        """The URL without query, fragment and trailing slash: what a base should look like."""
        return self.root + self.path

    @property
    def text(self) -> str:
        """The whole URL, as it was meant."""
        text = self.url + ("/" if self.trailing_slash else "")
        if self.query is not None:
            text += f"?{self.query}"
        return text if self.fragment is None else f"{text}#{self.fragment}"

    def at(self, *segments: str) -> Base:
        """The same server with that path, no query and no fragment."""
        return dataclasses.replace(
            self, segments=segments, query=None, fragment=None, trailing_slash=False
        )

    def with_scheme(self, scheme: str) -> Base:
        """The same host; the port stays the one that is dialled unless both are the default."""
        port = self.port
        if port is None and (self.scheme, scheme) == ("https", "http"):
            port = DEFAULT_PORTS["https"]
        if port == DEFAULT_PORTS[scheme]:
            port = None
        return dataclasses.replace(self, scheme=scheme, port=port)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says: ``base`` None where it does not say which server is meant."""

    base: Base | None
    defects: tuple[Defect, ...] = ()

    @property
    def clean(self) -> bool:
        return self.base is not None and not self.defects


def is_address(host: str) -> bool:
    """Whether the host is an IP address, which needs no name service."""
    try:
        ipaddress.ip_address(host.strip("[]").split("%", 1)[0])
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """This machine, as seen by whoever dials: localhost, 127/8, ::1, 0.0.0.0, ::."""
    address = address_of(host)
    if address is not None:
        return address.is_loopback or address.is_unspecified
    return host.lower().rstrip(".") == "localhost" or host.lower().endswith(".localhost")


def is_local(host: str) -> bool:
    """This machine or a private network: no public name or address."""
    if is_loopback(host):
        return True
    address = address_of(host)
    if address is not None:
        return any(address in network for network in _PRIVATE)
    name = host.lower().rstrip(".")
    return "." not in name or name.endswith(_LOCAL_DOMAINS)


# Those that no router of the internet carries; ``is_private`` takes in more than these.
_PRIVATE = tuple(
    ipaddress.ip_network(text)
    for text in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "fc00::/7",
        "fe80::/10",
    )
)
_LOCAL_DOMAINS = (".local", ".lan", ".internal", ".home.arpa", ".intranet", ".svc")


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that ``host`` is, None for a name. Brackets and a zone are left aside."""
    try:
        return ipaddress.ip_address(host.strip("[]").split("%", 1)[0])
    except ValueError:
        return None
