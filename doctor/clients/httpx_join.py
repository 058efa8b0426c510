"""How the Python SDKs join base and path (openai ≥ 3, anthropic ≥ 2: httpx2).

Observed per base in facts/gateway-clients.md §2.1: the path is appended to the raw base, query
and all, so that a query swallows it; blanks are quoted; control characters, a missing scheme and
a host name that IDNA refuses raise before anything is sent.
"""

from __future__ import annotations

import re
import urllib.parse

from doctor.clients.base import ClientRefusal
from doctor.patterns import Pattern

_SCHEME = Pattern(r"https?://", re.I)
_NOT_A_HOST = Pattern(r"[^A-Za-z0-9.\-_\[\]:%]")


def join(base: str, path: str) -> str:
    """The URL of the request. Raises ``ClientRefusal`` with the SDK's own text."""
    for position, char in enumerate(base):
        if ord(char) < 0x20 or ord(char) == 0x7F:
            raise ClientRefusal(
                f"Invalid non-printable ASCII character in URL, {char!r} at position {position}."
            )
    if not _SCHEME.match(base):
        raise ClientRefusal("Request URL is missing an 'http://' or 'https://' protocol.")
    authority = re.split(r"[/?#]", base.split("://", 1)[1], maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    if _NOT_A_HOST.search(host):
        raise ClientRefusal(f"Invalid IDNA hostname: {host!r}")
    fragmentless = base.split("#", 1)[0]
    before, question, query = fragmentless.partition("?")
    joined = before.rstrip("/") + "/"
    if question:
        return urllib.parse.quote(joined, safe=_SAFE) + "?" + query + path.lstrip("/")
    return urllib.parse.quote(joined + path.lstrip("/"), safe=_SAFE)


_SAFE = "%/:=&?~#+!$,;'@()*[]"
