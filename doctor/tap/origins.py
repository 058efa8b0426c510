"""A base URL as a program has it, and the same one leading to a listener."""

from __future__ import annotations

from urllib.parse import urlsplit

from doctor.patterns import Pattern
from doctor.records import dataclass

LOOPBACK = "127.0.0.1"
_BASE = Pattern(r"(?P<before>\s*)(?P<scheme>https?)://(?P<netloc>[^/?#\\\s]+)", 2)  # re.IGNORECASE
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a listener's traffic goes. ``netloc`` is what ``Host`` says there."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def origin_in(base: str) -> Origin | None:
    """The origin of a base URL, None where it names none that could be dialled."""
    match = _BASE.match(base)
    if match is None:
        return None
    try:
        parts = urlsplit(f"{match['scheme'].lower()}://{match['netloc']}")
        port = parts.port
        host = parts.hostname or ""
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except ValueError:
        return None
    return Origin(parts.scheme, host, port or _PORTS[parts.scheme]) if host else None


def led_to(base: str, port: int) -> str:
    """``base`` with the listener's address in the place of its own. Blanks, path, query and
    whatever else stands there stays: it may be the fault. A login in front of the host stays too.

    Raises ``ValueError`` where ``base`` names no origin.
    """
    match = _BASE.match(base)
    if match is None:
        raise ValueError("no origin in this base URL")
    login, at, _host = match["netloc"].rpartition("@")
    return f"{match['before']}http://{login}{at}{LOOPBACK}:{port}{base[match.end() :]}"
