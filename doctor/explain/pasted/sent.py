"""What a printed request shows that was refused further down: its header for the key, its path.

``curl … -H 'x-api-key: …'`` as LiteLLM and others print it, ``> x-api-key: …`` of ``curl -v``,
``'x-api-key': '…'`` of a dump in any language; and a POST without a version in its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from doctor.connection import Protocol
from doctor.patterns import Pattern
from doctor.settings.providers import provider_for_host

_URL = Pattern(r"https?://[^\s'\"<>)]+|^\s*> ?host: ?(?P<host>\S+)", re.IGNORECASE)
_HEADER = Pattern(
    r"(?:-H ?|--header[ =])\\?['\"]x-api-key: ?[^'\"\s]|^\s*> ?x-api-key: ?\S"
    r"|['\"]x-api-key['\"](?:: ?| ?=> ?|, ?)b?\\?['\"][^'\"\s]"  # Python, Ruby, PHP
    r"|\bx-api-key:\[[^\]\s]",  # Go
    re.IGNORECASE,
)
_OTHER = Pattern(r"\bauthorization['\"]?: ", re.IGNORECASE)
_REFUSED = Pattern(
    r"\b401\b|unauthori[sz]ed|authentication[_ ](?:error|fail)|(?:invalid|incorrect) api[- ]?key",
    re.IGNORECASE,
)
_POSTED = Pattern(
    r"\bPOST ['\"]?(?P<url>https?://[^/\s'\"]+/(?:chat/completions|messages|responses))\b(?![/?])",
    re.IGNORECASE,
)
# The list of models, asked with a key, and a status of its own near it.
_LISTED = Pattern(
    r"\bGET ['\"]?\S*/models\b['\"]?|\bcurl\b(?=.*(?:authorization|bearer)).*/models\b",
    re.IGNORECASE,
)
_ANSWERED = Pattern(r"(?<![\d.:])200(?: OK)?\b(?!\.)", re.IGNORECASE)
# A request is printed over several lines, and its answer behind it.
_NEAR = 12
_BEHIND = 3


def refused_headers(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line with the header, and ``the key went to HOST as x-api-key: 401``.

    Silent for Anthropic itself, and where it is known that the Anthropic API is served: there the
    header is the right one.
    """
    told: set[str] = set()
    for index, line in enumerate(lines):
        if _HEADER.search(line) is None:
            continue
        around = lines[max(0, index - _NEAR) : index + _NEAR]
        url = _nearest(lines, index)
        if url is None or url in told or any(map(_OTHER.search, around)):
            continue
        host, path = _parts(url)
        if not host or _takes_it(host, path):
            continue
        if any(map(_REFUSED.search, lines[index : index + 1 + _NEAR])):
            told.add(url)
            yield index + 1, f"the key went to {host} as x-api-key: 401"


def refused_at_root(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line, and ``POST URL without a version: 401``; with ``, GET /models: 200``
    where the same text shows that the server takes the key."""
    listed = any(
        _LISTED.search(line) is not None
        and any(map(_ANSWERED.search, (line, *lines[index + 1 : index + 1 + _BEHIND])))
        and not any(map(_REFUSED.search, lines[index : index + 1 + _BEHIND]))
        for index, line in enumerate(lines)
    )
    told: set[str] = set()
    for index, line in enumerate(lines):
        match = _POSTED.search(line)
        url = match.group("url") if match is not None else ""
        if not url or url in told or provider_for_host(_parts(url)[0]) is not None:
            continue
        if any(map(_REFUSED.search, lines[index : index + 1 + _BEHIND])):
            told.add(url)
            also = ", GET /models: 200" if listed else ""
            yield index + 1, f"POST {url} without a version: 401{also}"


def _nearest(lines: Sequence[str], index: int) -> str | None:
    """The address of the request whose header stands in line ``index``: above it, or in it."""
    for number in range(index, max(-1, index - _NEAR), -1):
        found = _URL.search(lines[number])
        if found is not None:
            return f"https://{found['host']}" if found["host"] else found.group()
    return None


def _parts(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return (parts.hostname or "").lower(), parts.path


def _takes_it(host: str, path: str) -> bool:
    provider = provider_for_host(host)
    if "anthropic" in host or "/anthropic" in path:
        return True
    return provider is not None and bool(provider.bases(Protocol.ANTHROPIC_MESSAGES, host))
