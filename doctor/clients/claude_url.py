"""How Claude Code joins base and path: as Anthropic's SDK, and then as Bun reads a URL."""

from __future__ import annotations

import urllib.parse

from doctor.clients import javascript
from doctor.clients.base import ClientRefusal
from doctor.patterns import Pattern

_SCHEMELESS = Pattern(r"(?P<host>[A-Za-z][A-Za-z0-9+.-]*):(?=\d)")


def join(base: str, path: str) -> str:
    """The URL of the request. Raises ``ClientRefusal`` with Claude Code's own text.

    "localhost:8000" is taken for http, since a name before a colon passes for a scheme; slashes
    doubled at the beginning of the path are made one.
    """
    text = javascript.trimmed(base)
    if _SCHEMELESS.match(text):
        text = f"http://{text}"
    try:
        url = javascript.join(text, path)
    except ClientRefusal:
        raise ClientRefusal("API Error: Invalid URL") from None
    parts = urllib.parse.urlsplit(url)
    place = "/" + parts.path.lstrip("/").replace("^", "%5E")
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit((parts.scheme, host, place, parts.query, ""))
