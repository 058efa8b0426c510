"""Reads a base URL whatever copying did to it.

Layer by layer: what stands around it, its scheme, blanks inside, host and port, the path. Where
a text leaves room for two readings of the host there is none.
"""

from __future__ import annotations

import re
import unicodedata

from doctor.patterns import Pattern
from doctor.url_parts import DEFAULT_PORTS, Base, Defect, Reading, address_of, is_local

_QUOTES = "\"'`“”„‟‘’‚‛«»‹›"
_CLOSING_JUNK = ",;!)]}>|" + _QUOTES
_OPENING_JUNK = "(<[" + _QUOTES
# Full-width forms of ASCII, and the Chinese full stop, which name resolution reads as a dot too.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3002: ord(".")}
_ENCODED_BLANK = Pattern(
    r"(?:%(?:20|09|0A|0D)|%C2%A0|%E3%80%80|%E2%80%8B|%EF%BB%BF)+$", re.IGNORECASE
)
_COMMENT = Pattern(r"\s+#.*$", re.DOTALL)
_ASSIGNMENT = Pattern(r"(?:export\s+|set\s+)?[A-Za-z_][\w.\-]*\s*[=:]\s*(?=[\"'`]?https?:)", re.I)
_SCHEME = Pattern(r"([A-Za-z][A-Za-z0-9+\-.]*)(:/*|;/+|/{2,})(?=[^/])")
# No server is reached by a longer one; it bounds the work on a hostile text.
_LONGEST = 4_096
_NOTHING_BUT_A_SCHEME = Pattern(r"[A-Za-z]+:/*|[:/]+")
_LATER_URL = Pattern(r"[\s,;|]+(?=https?:/)", re.IGNORECASE)
_NOT_IN_A_URL = Pattern(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]")
_HOST_PLACEHOLDER = Pattern(
    r"[${}<>*]|(?:^|[.\-_])(?i:your)(?:[.\-_]|$)|^(?:x{3,}|X{3,})$|你的"
    r"|^(?:(?:SERVER|VLLM|GATEWAY)[-_]?)?(?:HOST|IP|HOSTNAME|ADDRESS)$|^(?:ip|hostname)$"
)
_LABEL = Pattern(r"[A-Za-z0-9_](?:[A-Za-z0-9_\-]*[A-Za-z0-9_])?")
_PORT = Pattern(r"[0-9]{1,5}")


def read(text: str) -> Reading:
    """Read ``text`` as a base URL, tolerant of everything that copying does to one.

    Never raises. A missing scheme is read as https, for hosts of this machine or a private
    network as http, since a key must not travel in clear text to a public one.
    """
    reading = _read_once(text)
    defects = list(reading.defects)
    for _round in range(_ROUNDS):
        if reading.base is None:
            return Reading(None, tuple(dict.fromkeys(defects)))
        again = _read_once(reading.base.text)
        if again.base == reading.base:
            return Reading(reading.base, tuple(dict.fromkeys(defects)))
        if again.base is None or again.base.origin != reading.base.origin:
            break
        defects += again.defects
        reading = again
    return Reading(None, (*dict.fromkeys(defects), Defect.HOST))


# A repair may lay bare the next layer of what was wrong.
_ROUNDS = 4


def _read_once(text: str) -> Reading:
    defects: list[Defect] = []
    if len(text) > _LONGEST:
        return Reading(None, (Defect.TRAILING_JUNK,))
    core = _peel(text, defects)
    if not core:
        return Reading(None, (*dict.fromkeys(defects), Defect.EMPTY))
    if _NOTHING_BUT_A_SCHEME.fullmatch(core):
        return Reading(None, (*dict.fromkeys(defects), Defect.HOST))
    if _HOST_PLACEHOLDER.search(_authority(core)):
        return Reading(None, (*dict.fromkeys(defects), Defect.PLACEHOLDER))
    scheme, rest = _scheme(core, defects)
    if scheme is None:
        return Reading(None, (*dict.fromkeys(defects), Defect.SCHEME_OTHER))
    rest = _without_inner_blanks(rest, defects)
    if Defect.SPLIT_HOST in defects:
        return Reading(None, tuple(dict.fromkeys(defects)))
    base = _server(scheme, rest, defects)
    return Reading(base, tuple(dict.fromkeys(defects)))


def is_blank(char: str) -> bool:
    """A blank, a line break or a control character."""
    return char.isspace() or unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cc")


def is_invisible(char: str) -> bool:
    """A byte order mark, a zero-width character and whatever else shows nothing."""
    return unicodedata.category(char) in ("Cf", "Cn", "Co", "Cs")


def is_quote(char: str) -> bool:
    """A straight or typographic quotation mark."""
    return char in _QUOTES


def is_full_width(char: str) -> bool:
    """A full-width form of an ASCII character, or the Chinese full stop."""
    return ord(char) in _FULL_WIDTH


def _peel(text: str, defects: list[Defect]) -> str:
    """Take off what surrounds the URL, layer by layer until nothing more comes off."""
    seen = "".join(char for char in text if not is_invisible(char))
    if seen != text:
        defects.append(Defect.INVISIBLE)
    core = "".join(" " if is_blank(char) else char for char in seen)
    plain = core.translate(_FULL_WIDTH)
    if plain != core:
        defects.append(Defect.FULL_WIDTH)
    core = plain
    without_comment = _COMMENT.sub("", core)
    if without_comment != core and without_comment.strip():
        defects.append(Defect.COMMENT)
        core = without_comment
    for _layer in range(len(core) + 1):
        before = core
        core = _layer_off(core, defects)
        if core == before:
            break
    return core


def _layer_off(core: str, defects: list[Defect]) -> str:
    if core != core.strip():
        defects.append(Defect.BLANK)
        return core.strip()
    if core[:1] in tuple(_QUOTES) or core[-1:] in tuple(_QUOTES):
        defects.append(Defect.QUOTES)
        return core.strip(_QUOTES)
    if core[:1] in tuple(_OPENING_JUNK) and not core.startswith("["):
        defects.append(Defect.LEADING_JUNK)
        return core[1:]
    assignment = _ASSIGNMENT.match(core)
    if assignment:
        defects.append(Defect.LEADING_JUNK)
        return core[assignment.end() :]
    # A bracket at the very end may close an IPv6 address.
    if core[-1:] in tuple(_CLOSING_JUNK) and not re.search(r"\[[0-9A-Fa-f:.%]+\]$", core):
        defects.append(Defect.TRAILING_JUNK)
        return core[:-1]
    if core.endswith(".") and not core.endswith(".."):
        defects.append(Defect.TRAILING_JUNK)
        return core[:-1]
    shorter = _ENCODED_BLANK.sub("", core)
    if shorter != core:
        defects.append(Defect.BLANK)
        return shorter
    return _one_url(core, defects)


def _one_url(core: str, defects: list[Defect]) -> str:
    """The first URL where a list of them stands, the URL where words stand ahead of it."""
    later = _LATER_URL.search(core)
    if later is None:
        return core
    ahead = core[: later.start()]
    if "://" in ahead:
        defects.append(Defect.TRAILING_JUNK)
        return ahead
    # What may be a host of its own leaves two readings.
    if re.search(r"[./:]", ahead) is None:
        defects.append(Defect.LEADING_JUNK)
        return core[later.end() :]
    return core


def _authority(core: str) -> str:
    """Roughly the host part, whatever stands before it, to look for placeholders in."""
    after = re.sub(r"^[A-Za-z]+:?[/\\]{2,}", "", core)
    return re.split(r"[/\\?#:]", after, maxsplit=1)[0]


def _scheme(core: str, defects: list[Defect]) -> tuple[str | None, str]:
    """The scheme that is meant (None: another one than http) and what follows its slashes."""
    if "\\" in core.split("?", 1)[0]:
        defects.append(Defect.BACKSLASH)
        head, question, tail = core.partition("?")
        core = head.replace("\\", "/") + question + tail
    match = _SCHEME.match(core)
    if match is None or _is_host_and_port(match, core):
        defects.append(Defect.SCHEME_MISSING)
        rest = core.lstrip("/:")
        return ("http" if is_local(_bare_host(rest)) else "https"), rest
    name, slashes, rest = match.group(1).lower(), match.group(2), core[match.end() :]
    if name not in DEFAULT_PORTS:
        meant = _meant(name, rest)
        if meant is None:
            return None, rest
        defects.append(Defect.SCHEME_MISSPELT)
        name = meant
    elif slashes != "://":
        defects.append(Defect.SCHEME_MISSPELT)
    inner = _SCHEME.match(rest)
    if inner is not None and inner.group(1).lower() in DEFAULT_PORTS and ":" in inner.group(2):
        defects.append(Defect.SCHEME_DOUBLED)
        # Of two schemes the safer one is meant until the server says otherwise.
        name = "https" if "https" in (name, inner.group(1).lower()) else "http"
        rest = rest[inner.end() :]
    return name, rest


def _is_host_and_port(match: re.Match[str], core: str) -> bool:
    """``localhost:8000/v1`` and ``gateway.example//v1`` have no scheme."""
    name, slashes = match.group(1).lower(), match.group(2)
    if name in DEFAULT_PORTS:
        return False
    if slashes == ":":
        return bool(re.match(r"\d", core[match.end() :])) or _meant(name, "") is None
    return ":" not in slashes and ";" not in slashes and _meant(name, "") is None


def _meant(name: str, rest: str) -> str | None:
    """The scheme behind a misspelt one; None for another protocol."""
    if name in ("ws", "wss"):
        return "http" if name == "ws" and is_local(_bare_host(rest)) else "https"
    if not 3 <= len(name) <= 7 or name in ("ftp", "sftp", "tcp", "htm", "smtp"):
        return None
    from difflib import get_close_matches

    if not get_close_matches(name, ("http", "https"), n=1, cutoff=0.74):
        return None
    # A letter s anywhere: https was meant, and https is the safer reading.
    return "https" if "s" in name else "http"


def _bare_host(rest: str) -> str:
    authority = re.split(r"[/?#\s]", rest, maxsplit=1)[0].rpartition("@")[2]
    if authority.startswith("["):
        return authority[1:].split("]", 1)[0]
    return authority.split(":", 1)[0]


def _without_inner_blanks(rest: str, defects: list[Defect]) -> str:
    """Drop blanks beside a separator; what follows another blank is not part of the URL.

    A blank inside the host leaves two readings of it, which is one too many.
    """
    if " " not in rest:
        return rest
    defects.append(Defect.BLANK)
    rest = re.sub(r" *([/:?#]) *", r"\1", rest.lstrip())
    first, blank, _more = rest.partition(" ")
    if not blank:
        return first
    if re.search(r"[/?#]", first) is None:
        defects.append(Defect.SPLIT_HOST)
        return rest
    defects.append(Defect.TRAILING_JUNK)
    return first


def _server(scheme: str, rest: str, defects: list[Defect]) -> Base | None:
    match = re.match(r"([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$", rest, re.DOTALL)
    assert match is not None
    authority, path, query, fragment = match.groups()
    userinfo, at, hostport = authority.rpartition("@")
    host, port = _host_and_port(hostport, defects)
    if host is None:
        return None
    junk = _NOT_IN_A_URL.search(path)
    if junk is not None:
        defects.append(Defect.TRAILING_JUNK)
        path, query, fragment = (
            path[: junk.start()].rstrip(_CLOSING_JUNK + _OPENING_JUNK),
            None,
            None,
        )
    parts = path.split("/")[1:]
    inner = parts[:-1] if parts and parts[-1] == "" else parts
    while inner and inner[-1] == "":
        inner = inner[:-1]
    if "" in inner:
        defects.append(Defect.EMPTY_SEGMENT)
    return Base(
        scheme=scheme,
        host=host,
        port=None if port == DEFAULT_PORTS[scheme] else port,
        segments=tuple(part for part in inner if part),
        query=query,
        fragment=fragment,
        userinfo=userinfo if at else None,
        trailing_slash=path.endswith("/") and bool(path.strip("/")),
    )


def _host_and_port(hostport: str, defects: list[Defect]) -> tuple[str | None, int | None]:
    if hostport.startswith("["):
        inside, closing, after = hostport[1:].partition("]")
        address = address_of(inside)
        if not closing or address is None or address.version != 6:
            defects.append(Defect.HOST)
            return None, None
        host, colon, port = inside.lower(), after[:1], after[1:]
        if colon not in ("", ":"):
            defects.append(Defect.HOST)
            return None, None
    else:
        host, colon, port = hostport.partition(":")
        host = host.lower().removesuffix(".")
        if not _is_host(host):
            defects.append(Defect.HOST)
            return None, None
    if not port:
        return host, None
    if _PORT.fullmatch(port) is None or not 1 <= int(port) <= 65_535:
        defects.append(Defect.PORT)
        return None, None
    return host, int(port)


def _is_host(host: str) -> bool:
    """Labels of letters, digits, hyphens; underscores occur in container names."""
    labels = host.split(".")
    return all(
        _LABEL.fullmatch(label) is not None
        or (not label.isascii() and all(c.isalnum() or c == "-" or _is_mark(c) for c in label))
        for label in labels
    )


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")
