"""A base URL as people write it: read whatever is wrong with it, repaired without guessing.

Pure text work, no network. Two promises hold for every input and are property-tested: a repair
never names another host or port than the text does, and never takes https down to http. Where a
text leaves room for two readings of the host there is no repair (``Reading.base`` is None).
"""

from __future__ import annotations

import re
import urllib.parse

from doctor.untrusted import visible
from doctor.url_parts import (
    DEFAULT_PORTS,
    Base,
    Defect,
    Reading,
    is_address,
    is_local,
    is_loopback,
)
from doctor.url_reader import is_blank, is_full_width, is_invisible, is_quote, read

__all__ = [
    "DEFAULT_PORTS",
    "Base",
    "Defect",
    "Reading",
    "canonical",
    "is_address",
    "is_blank",
    "is_full_width",
    "is_invisible",
    "is_local",
    "is_loopback",
    "is_quote",
    "keeps_destination",
    "query_names",
    "read",
    "shown",
]


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
