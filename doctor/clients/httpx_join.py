"""How the Python SDKs join base and path, on httpx and httpx2.

Observed per base in facts/gateway-clients.md §2.1, and with openai 2.20 and 3.57, anthropic 2.14:
the path is appended to the raw base, query and all, so that a query swallows it; blanks are
quoted; control characters, a missing scheme and a host name that IDNA refuses raise before
anything is sent.
"""

from __future__ import annotations

import re
import urllib.parse

from doctor.clients.base import ClientRefusal
from doctor.patterns import Pattern

_SCHEME = Pattern(r"https?://", re.I)
_NOT_A_HOST = Pattern(r"[^A-Za-z0-9.\-_\[\]:%]")
_SAFE = "%/:=&?~#+!$,;'@()*[]"


def join(base: str, path: str) -> str:
    """The URL of the request by the rule of openai ≥ 3: a slash behind the path of the base, then
    its query, then what is appended. Raises ``ClientRefusal`` with the SDK's own text."""
    before, question, query = _checked(base).partition("?")
    joined = before if before.endswith("/") else before + "/"
    return urllib.parse.quote(joined + question + query + path.lstrip("/"), safe=_SAFE)


def join_behind_query(base: str, path: str) -> str:
    """As ``join``, by the rule of anthropic 2 and openai 2: all of the base, then the slash."""
    whole = _checked(base)
    joined = whole if whole.endswith("/") else whole + "/"
    return urllib.parse.quote(joined + path.lstrip("/"), safe=_SAFE)


def _checked(base: str) -> str:
    """The base without a fragment, with scheme and host in lower case."""
    for position, char in enumerate(base):
        if ord(char) < 0x20 or ord(char) == 0x7F:
            raise ClientRefusal(
                f"Invalid non-printable ASCII character in URL, {char!r} at position {position}."
            )
    if not _SCHEME.match(base):
        raise ClientRefusal("Request URL is missing an 'http://' or 'https://' protocol.")
    scheme, _, rest = base.split("#", 1)[0].partition("://")
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    userinfo, at, host = authority.rpartition("@")
    if _NOT_A_HOST.search(host):
        raise ClientRefusal(f"Invalid IDNA hostname: {host!r}")
    return f"{scheme.lower()}://{userinfo}{at}{host.lower()}{rest[len(authority) :]}"
