"""A base URL as people write it: read whatever is wrong with it, repaired without guessing.

Pure text work, no network. Two promises hold for every input and are property-tested: a repair
never names another host or port than the text does, and never takes https down to http. Where a
text leaves room for two readings of the host there is no repair (``Reading.base`` is None).
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import ipaddress
import re
import unicodedata
import urllib.parse
from dataclasses import dataclass

from doctor.untrusted import visible

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


_QUOTES = "\"'`“”„‟‘’‚‛«»‹›"
_CLOSING_JUNK = ",;!)]}>|" + _QUOTES
_OPENING_JUNK = "(<[" + _QUOTES
# Full-width forms of ASCII, and the Chinese full stop, which name resolution reads as a dot too.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3002: ord(".")}
_ENCODED_BLANK = re.compile(
    r"(?:%(?:20|09|0A|0D)|%C2%A0|%E3%80%80|%E2%80%8B|%EF%BB%BF)+$", re.IGNORECASE
)
_COMMENT = re.compile(r"\s+#.*$", re.DOTALL)
_ASSIGNMENT = re.compile(
    r"(?:export\s+|set\s+)?[A-Za-z_][\w.\-]*\s*[=:]\s*(?=[\"'`]?https?:)", re.I
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+\-.]*)(:/*|;/+|/{2,})(?=[^/])")
# No server is reached by a longer one; it bounds the work on a hostile text.
_LONGEST = 4_096
_NOTHING_BUT_A_SCHEME = re.compile(r"[A-Za-z]+:/*|[:/]+")
_LATER_URL = re.compile(r"[\s,;|]+(?=https?:/)", re.IGNORECASE)
_NOT_IN_A_URL = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]")
_HOST_PLACEHOLDER = re.compile(
    r"[${}<>*]|(?:^|[.\-_])(?i:your)(?:[.\-_]|$)|^(?:x{3,}|X{3,})$|你的"
    r"|^(?:(?:SERVER|VLLM|GATEWAY)[-_]?)?(?:HOST|IP|HOSTNAME|ADDRESS)$|^(?:ip|hostname)$"
)
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_\-]*[A-Za-z0-9_])?")
_PORT = re.compile(r"[0-9]{1,5}")


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


def canonical(text: str) -> str | None:
    """The form in which two bases are compared: repaired, lower-case host, no query, no slash at
    the end. None where the server cannot be told."""
    base = read(text).base
    return None if base is None else base.url


def shown(text: str) -> str:
    """``text`` for people: control characters spelled out, no password, no value of a query."""
    text = re.sub(r"(?<=://)[^/?#@\s]*@", "…@", text)
    before, question, rest = text.partition("?")
    if not question:
        return visible(text)
    query, hash_, fragment = rest.partition("#")
    names = [part.split("=", 1) for part in query.split("&") if part]
    query = "&".join(f"{pair[0]}=…" if len(pair) > 1 and pair[1] else pair[0] for pair in names)
    return visible(f"{before}?{query}{hash_}{fragment}")


def query_names(query: str | None) -> tuple[str, ...]:
    """The names of a query's parameters, decoded, in order."""
    pairs = urllib.parse.parse_qsl(query or "", keep_blank_values=True)
    return tuple(dict.fromkeys(name for name, _value in pairs))


def is_loopback(host: str) -> bool:
    """This machine, as seen by whoever dials: localhost, 127/8, ::1, 0.0.0.0, ::."""
    address = _address(host)
    if address is not None:
        return address.is_loopback or address.is_unspecified
    return host.lower().rstrip(".") == "localhost" or host.lower().endswith(".localhost")


def is_local(host: str) -> bool:
    """This machine or a private network: no public name or address."""
    if is_loopback(host):
        return True
    address = _address(host)
    if address is not None:
        return address.is_private or address.is_link_local
    name = host.lower().rstrip(".")
    return "." not in name or name.endswith(_LOCAL_DOMAINS)


_LOCAL_DOMAINS = (".local", ".lan", ".internal", ".home.arpa", ".intranet", ".svc")


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


def keeps_destination(old: str, new: str, *, plain_proved: bool = False) -> bool:
    """Whether a key configured for ``old`` may go to ``new``: the same scheme, host and port.

    Allowed besides: the names of this machine for one another, http to https on the same host,
    and https to http where ``plain_proved`` says that the server at that very port was seen to
    speak no TLS. A text without scheme counts as either scheme, yet never as clear text to a
    public host.
    """
    before, after = read(old).base, read(new).base
    if before is None or after is None:
        return False
    same_host = before.host == after.host or (is_loopback(before.host) and is_loopback(after.host))
    if not same_host:
        return False
    if Defect.SCHEME_MISSING in read(old).defects:
        return before.port == after.port and (after.scheme == "https" or is_local(after.host))
    if (before.scheme, after.scheme) == ("https", "http") and not plain_proved:
        return False
    if (before.scheme, after.scheme) == ("http", "https") and before.port is after.port is None:
        return True
    return before.origin[2] == after.origin[2]


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]").split("%", 1)[0])
    except ValueError:
        return None


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
    if not difflib.get_close_matches(name, ("http", "https"), n=1, cutoff=0.74):
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
        address = _address(inside)
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
