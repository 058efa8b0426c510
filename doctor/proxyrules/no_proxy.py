"""Whether NO_PROXY excludes a target: every library reads the list by rules of its own.

Each matcher takes the value and the target and returns the entry that excludes it, None where
none does. ``httpx`` may refuse the value outright and then raises ``Refused``. The differences
are those of the table in facts/gateway-clients.md §2.5 and of further runs: tests compare the
rules of httpx, httpx2 and urllib with the libraries themselves.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable

from doctor.facts.network import Endpoint
from doctor.patterns import Pattern

Matcher = Callable[[str, Endpoint], str | None]

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST_PORT = Pattern(r"(.+):([0-9]+)")
_AUTHORITY = Pattern(r"([^/?#]*)([^?#]*)", re.DOTALL)
_NO_LETTER = Pattern(r"[^\w.\-]|_")


class Refused(Exception):
    """The library does not start with this value; the text is its own."""


def separated(value: str) -> tuple[str, ...]:
    """The entries by the one rule that all share: commas, blanks around an entry are dropped."""
    return tuple(entry for entry in (part.strip() for part in value.split(",")) if entry)


def ip(text: str) -> _Address | None:
    """``text`` as an address, None for a name."""
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def in_network(host: str, entry: str) -> bool:
    """Whether the address ``host`` lies in the network ``entry``; False for anything else."""
    address = ip(host)
    base, _, length = entry.rpartition("/")
    if address is None or not (length.isascii() and length.isdecimal()):
        return False
    try:
        network = ipaddress.ip_network(f"{base.strip('[]')}/{length}", strict=False)
    except ValueError:
        return False
    return address.version == network.version and address in network


def _suffix(host: str, name: str) -> bool:
    return host == name or host.endswith(f".{name}")


def _first(entries: Iterable[str], excludes: Callable[[str], bool]) -> str | None:
    return next((entry for entry in entries if excludes(entry)), None)


def urllib_(value: str, target: Endpoint) -> str | None:
    """urllib matches the host and ``host:port`` by suffix, nothing else; ``*`` only alone."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    written = host if _is_default_port(target) else f"{host}:{target.port}"
    return _python_suffix(value, host, written)


def aiohttp(value: str, target: Endpoint) -> str | None:
    """As urllib, but the port never counts."""
    return _python_suffix(value, target.host, target.host)


def _python_suffix(value: str, host: str, written: str) -> str | None:
    if value == "*":
        return value
    names = {host.lower(), written.lower()}

    def excludes(entry: str) -> bool:
        name = entry.lstrip(".").lower()
        return any(_suffix(candidate, name) for candidate in names)

    return _first(separated(value), excludes)


def requests(value: str, target: Endpoint) -> str | None:
    """Networks and exact addresses for IPv4, suffixes for names; then what urllib would do."""
    entries = [entry for entry in value.replace(" ", "").split(",") if entry]
    address = ip(target.host)
    if isinstance(address, ipaddress.IPv4Address):
        found = _first(entries, lambda e: e == target.host or in_network(target.host, e))
    else:
        names = {target.host, target.host if _is_default_port(target) else _with_port(target)}

        def excludes(entry: str) -> bool:
            name = entry.lstrip(".")
            return any(_suffix(candidate, name) for candidate in names)

        found = _first(entries, excludes)
    return found or aiohttp(value, target)


def httpx(value: str, target: Endpoint) -> str | None:
    """httpx 0.28: every entry becomes a URL pattern, so an IPv6 network or brackets crash it."""
    entries = separated(value)
    if "*" in entries:
        return "*"
    for entry in entries:
        _httpx_pattern(_as_httpx(entry))
    return _first(entries, lambda entry: _httpx_excludes(entry, target, networks=False))


def httpx2(value: str, target: Endpoint) -> str | None:
    """httpx2: networks count, ``*.name`` does, and what cannot be read is left out."""
    entries = separated(value)
    if "*" in entries:
        return "*"
    return _first(entries, lambda entry: _httpx_excludes(entry, target, networks=True))


def _httpx_pattern(entry: str) -> tuple[str, str, str, str]:
    """Scheme, host, port and path of the pattern that httpx makes of ``entry``.

    Raises ``Refused`` with httpx's own text where it makes none of it. The scheme is "all" where
    any will do; the host keeps its star, the port is as written, the path without its slash.
    """
    if "://" in entry:
        scheme, rest = entry.split("://", 1)
    else:
        scheme, rest = "all", entry
    odd = next((c for c in entry if c.isascii() and not c.isprintable()), None)
    if odd is not None:
        raise Refused(f"Invalid non-printable ASCII character in URL, {odd!r} in {entry!r}.")
    match = _AUTHORITY.match(rest)
    authority, path = (match.group(1), match.group(2)) if match else (rest, "")
    host, port = _host_and_port(authority.rpartition("@")[2])
    if port and not _is_number(port):
        raise Refused(f"Invalid port: {port!r}")
    if not host.isascii() and (host.startswith("*") or _NO_LETTER.search(host)):
        raise Refused(f"Invalid IDNA hostname: {host!r}")
    return scheme.lower(), host.lower(), port, path.removeprefix("/")


def _host_and_port(authority: str) -> tuple[str, str]:
    bracketed = re.fullmatch(r"(\[.*\])(?::(.*))?", authority, re.DOTALL)
    if bracketed:
        return bracketed.group(1)[1:-1], bracketed.group(2) or ""
    host, _, port = authority.partition(":")
    return host, port


def _as_httpx(entry: str) -> str:
    """The pattern's text in httpx 0.28: a star in front of every name, brackets around IPv6."""
    if "://" in entry or entry.lower() == "localhost":
        return entry
    address = ip(entry.partition("/")[0]) if "[" not in entry else None
    if isinstance(address, ipaddress.IPv4Address):
        return entry
    return f"*{entry}" if address is None else f"[{entry}]"


def _as_httpx2(entry: str) -> str | None:
    """The same in httpx2, None for what it leaves out."""
    if "://" in entry or entry.startswith(("[", "*.")):
        return None if entry.startswith("*.") and "/" in entry else entry
    address, slash, length = entry.partition("/")
    if isinstance(ip(address), ipaddress.IPv6Address):
        return f"[{address}]/{length}" if slash else f"[{entry}]"
    if slash and ip(address) is None:
        return None
    return _as_httpx(entry)


def _is_number(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


def _httpx_excludes(entry: str, target: Endpoint, networks: bool) -> bool:
    written = _as_httpx2(entry) if networks else _as_httpx(entry)
    if written is None:
        return False
    try:
        scheme, name, port, path = _httpx_pattern(written)
    except Refused:
        return False
    if scheme not in ("all", target.scheme):
        return False
    if port and _DEFAULT_PORTS.get(scheme) != int(port) and int(port) != _httpx_port(target):
        return False
    host = target.host.lower()
    if networks and path and ip(name) is not None:
        return in_network(host, f"{name}/{path}")
    if name.startswith("*."):
        return host.endswith(name[1:])
    if name.startswith("*") and name != "*":
        return _suffix(host, name[1:])
    return name in ("", "*", host)


def _httpx_port(target: Endpoint) -> int | None:
    """The port as httpx keeps it: a scheme's own port is none at all."""
    return None if _is_default_port(target) else target.port


def node(value: str, target: Endpoint) -> str | None:
    """Node's own fetch with the environment proxy: names by suffix, ports count, no networks."""
    if value == "*":
        return value
    host = f"[{target.host}]" if ":" in target.host else target.host

    def excludes(entry: str) -> bool:
        match = _HOST_PORT.fullmatch(entry)
        name = (match.group(1) if match else entry).lower()
        if match and int(match.group(2)) not in (0, target.port):
            return False
        return _suffix(host, re.sub(r"^\*?\.", "", name))

    return _first(re.split(r"[,\s]", value), lambda entry: bool(entry) and excludes(entry))


def axios(value: str, target: Endpoint) -> str | None:
    """axios: exact names, ``.name`` and ``*name`` suffixes, networks, ports; and every spelling
    of this machine excludes every other."""

    def names(name: str) -> bool:
        if name.startswith("*"):
            return target.host.endswith(name[1:])
        if name.startswith("."):
            return target.host.endswith(name)
        return name.rstrip(".") == target.host or (_loopback(name) and _loopback(target.host))

    return _with_networks_and_ports(value, target, names)


def _with_networks_and_ports(
    value: str, target: Endpoint, names: Callable[[str], bool]
) -> str | None:
    """Blanks separate as well; ``names`` says whether a name excludes the target."""

    def excludes(entry: str) -> bool:
        if not entry:
            return False
        if entry == "*":
            return True
        if "/" in entry:
            return in_network(target.host, entry)
        name, port = _axios_parts(entry)
        return port in (0, target.port) and names(name)

    return _first(re.split(r"[,\s]+", value.lower()), excludes)


def _axios_parts(entry: str) -> tuple[str, int]:
    if entry.startswith("["):
        inside, _, rest = entry[1:].partition("]")
        port = rest.removeprefix(":")
        return inside, int(port) if port.isdecimal() else 0
    match = _HOST_PORT.fullmatch(entry) if entry.count(":") == 1 else None
    return (match.group(1), int(match.group(2))) if match else (entry, 0)


def _loopback(name: str) -> bool:
    address = ip(name.rstrip("."))
    if address is None:
        return name.rstrip(".") == "localhost"
    return address.is_loopback or address.is_unspecified


def curl(value: str, target: Endpoint) -> str | None:
    """curl: names by suffix, IPv4 networks, blanks separate as well; ports never match."""
    if value == "*":
        return value
    address = ip(target.host)

    def excludes(entry: str) -> bool:
        if isinstance(address, ipaddress.IPv4Address):
            return entry.rstrip("/") == target.host or in_network(target.host, entry)
        if address is not None:
            return entry == target.host
        return _suffix(target.host, entry.lower().lstrip(".").rstrip("."))

    return _first(re.split(r"[,\s]+", value), lambda entry: bool(entry) and excludes(entry))


def claude_code(value: str, target: Endpoint) -> str | None:
    """Claude Code: names by suffix, ``*.name``, networks, ports; blanks separate as well."""

    def names(name: str) -> bool:
        return _suffix(target.host, re.sub(r"^\*?\.", "", name))

    return _with_networks_and_ports(value, target, names)


def bun(value: str, target: Endpoint) -> str | None:
    """Bun: names and addresses by suffix, ``*`` anywhere; ``host:port`` as it is written in the
    URL, IPv6 in brackets only."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    written = host if _is_default_port(target) else f"{host}:{target.port}"

    def excludes(entry: str) -> bool:
        name = entry.lower().removeprefix(".")
        if entry == "*" or name == written:
            return True
        return name == host if name.startswith("[") else ":" not in name and _suffix(host, name)

    return _first(separated(value), excludes)


def codex(value: str, target: Endpoint) -> str | None:
    """Codex: names by suffix, exact addresses, networks; ``*`` for names only, no ports."""
    address = ip(target.host)

    def excludes(entry: str) -> bool:
        if address is not None:
            return entry == target.host or in_network(target.host, entry)
        return entry == "*" or _suffix(target.host, entry.lower().lstrip("."))

    return _first(separated(value), excludes)


def _is_default_port(target: Endpoint) -> bool:
    return _DEFAULT_PORTS.get(target.scheme) == target.port


def _with_port(target: Endpoint) -> str:
    return f"{target.host}:{target.port}"
