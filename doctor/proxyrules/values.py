"""The value of a proxy variable: its address, how it is shown, what is wrong with it."""

from __future__ import annotations

import enum
import re

from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.untrusted import visible

DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080}
SOCKS = frozenset({"socks", "socks4", "socks4a", "socks5", "socks5h"})

_SCHEME = Pattern(r"\s*([A-Za-z][A-Za-z0-9+.\-]*)://")
_QUOTES = "\"'`“”‘’"
_AROUND = _QUOTES + " \t\r\n\v\f\u00a0\u3000"
_FULL_WIDTH = str.maketrans("：／．＠", ":/.@")
_MISSPELT = Pattern(r"(?:h{1,2}t{1,3}p{0,2})", re.IGNORECASE)
_BROKEN_HEAD = Pattern(r"(https?|socks5h?|socks)(?::/?|;//|//)(?!/)", re.IGNORECASE)
_DOUBLED = Pattern(r"^(?:https?://)+(?=https?://)", re.IGNORECASE)


class Flaw(enum.StrEnum):
    """What is wrong with a proxy's URL, whatever a library makes of it."""

    QUOTES = "quotes"
    BLANK = "blank"
    FULL_WIDTH = "full-width"
    NO_SCHEME = "no-scheme"
    SOCKS_WITHOUT_VERSION = "socks-without-version"
    SOCKS4 = "socks4"
    SCHEME = "scheme"
    PORT = "port"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a proxy listens. ``scheme`` is lower-case, "" where none is written."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def shown(value: str) -> str:
    """``value`` as it may be shown: without user name and password, on one line."""
    head, separator, rest = value.rpartition("@")
    if not separator:
        return visible(value, 200)
    scheme = _SCHEME.match(head)
    return visible(f"{scheme.group(0) if scheme else ''}…@{rest}", 200)


def scheme_of(value: str) -> str:
    """The lower-case scheme, "" where there is none."""
    match = _SCHEME.match(value)
    return match.group(1).lower() if match else ""


def authority_of(value: str) -> tuple[str, str | None]:
    """Host and port as they are written; the port is None where none is."""
    rest = value.split("://", 1)[-1]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    bracketed = re.match(r"\[([^\]]*)\](?::(.*))?", authority, re.DOTALL)
    if bracketed:
        return bracketed.group(1), bracketed.group(2)
    host, colon, port = authority.partition(":")
    return host, port if colon else None


def address(value: str) -> Address | None:
    """Where the proxy of ``value`` listens, None where the text names no host and port."""
    scheme = scheme_of(value)
    host, written = authority_of(value.strip())
    if not host or not re.fullmatch(r"[A-Za-z0-9._\-]+|[0-9A-Fa-f:.%]+", host):
        return None
    if not written:
        return Address(scheme, host.lower(), DEFAULT_PORTS.get(scheme, 80))
    port = int(written) if re.fullmatch(r"[0-9]{1,5}", written.strip()) else 0
    return Address(scheme, host.lower(), port) if 0 < port < 65_536 else None


def same_proxy(left: str | None, right: str | None) -> bool:
    """Whether both name the same proxy; a trailing slash and the case of the host are nothing."""
    if left is None or right is None:
        return left is right
    one, other = address(left), address(right)
    if one is None or other is None:
        return left.strip() == right.strip()
    schemes = {one.scheme or "http", other.scheme or "http"}
    return (one.host, one.port) == (other.host, other.port) and len(schemes) == 1


def flaws(value: str) -> tuple[Flaw, ...]:
    """Everything that is wrong with ``value``; empty for a sound one and for an empty one."""
    found: list[Flaw] = []
    text = value.strip()
    if not text:
        return ()
    if text != value:
        found.append(Flaw.BLANK)
    if text[0] in _QUOTES or text[-1] in _QUOTES:
        found.append(Flaw.QUOTES)
        text = text.strip(_QUOTES)
    if text.translate(_FULL_WIDTH) != text:
        found.append(Flaw.FULL_WIDTH)
        text = text.translate(_FULL_WIDTH)
    return (*found, *_structural(text))


def _structural(text: str) -> tuple[Flaw, ...]:
    scheme = scheme_of(text)
    if _DOUBLED.match(text) or (not scheme and _BROKEN_HEAD.match(text)):
        return (Flaw.SCHEME,)
    if scheme == "socks":
        return (Flaw.SOCKS_WITHOUT_VERSION, *_of_address(text))
    if scheme in ("socks4", "socks4a"):
        return (Flaw.SOCKS4, *_of_address(text))
    if scheme and scheme not in DEFAULT_PORTS:
        return (Flaw.SCHEME, *_of_address(text))
    return (*(() if scheme else (Flaw.NO_SCHEME,)), *_of_address(text))


def _of_address(text: str) -> tuple[Flaw, ...]:
    host, port = authority_of(text)
    if not host:
        return (Flaw.HOST,)
    if port and not (port.isdecimal() and port.isascii() and 0 < int(port[:9]) < 65_536):
        return (Flaw.PORT,)
    return () if address(text) is not None else (Flaw.HOST,)


def corrected(value: str) -> str | None:
    """``value`` as it was meant, None where the text does not tell (a bad host or port).

    Host and port stay what they are; ``socks://`` becomes ``socks5://``, which is what desktop
    settings mean by it.
    """
    text = value.strip(_AROUND).translate(_FULL_WIDTH)
    text = _DOUBLED.sub("", text)
    scheme = scheme_of(text)
    if not scheme:
        broken = _BROKEN_HEAD.match(text)
        scheme = broken.group(1).lower() if broken else "http"
        rest = text[broken.end() :] if broken else text
    else:
        rest = text.split("://", 1)[1]
    if scheme in SOCKS:
        scheme = "socks5h" if scheme == "socks5h" else "socks5"
    elif scheme not in ("http", "https"):
        if not _MISSPELT.fullmatch(scheme.rstrip("s")):
            return None
        scheme = "http"
    repaired = f"{scheme}://{rest}"
    return repaired if address(repaired) is not None and not flaws(repaired) else None
