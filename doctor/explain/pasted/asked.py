"""The path of a request whose refusal stands in another line.

Loggers print the URL and the status apart: ``url: 'https://…/responses'``, then ``statusCode:
404``. Put together they are the line that the dictionary of URLs reads. Two slashes in a row in
the path of a request are told as well, where what came back was no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.explain.pasted.heads import heads_in
from doctor.patterns import Pattern

# What says "no such path" in a line of its own.
NOT_THERE = Pattern(
    r"(?:status ?code|status|error code|http(?:/[\d.]+)?)['\"]?[\s:=(]{1,4}40[45]\b"
    r"|apicallerror\]?: not found\b|\b40[45] (?:page )?not (?:found|allowed)|^\s*40[45]\b"
    r"|\{\s*\"detail\":\s*\"not found\"\s*\}",
    re.IGNORECASE,
)
_URL = Pattern(
    r"(?:\burl['\"]?\s*[:=]\s*['\"]?|\b(?P<method>POST|GET)\s+['\"]?|\brequest(?: to|:) "
    r"|\bfor url:?\s*['\"]?)"
    r"(?P<url>https?://[^\s'\",)]+)",
    re.IGNORECASE,
)
_NEAR = 12
# A body printed below the address: what is asked with one is a POST, and its answer comes after.
_BODY = Pattern(r"\{\s*$")
_ASKS = Pattern(r"['\"](?:messages|input|prompt)['\"]\s*:")
_LONGEST_BODY = 300
# The scheme of an address inside the path is no doubled slash.
_DOUBLED = Pattern(r"^(?:https?://[^/?#\s]+)?(?:/[^?#\s]*?[^:/?#\s])?//")
_ELSEWHERE = frozenset({301, 302, 303, 307, 308, 404, 405})
_NO_ANSWER = Pattern(
    r"(?:status ?code|status|http(?:/[\d.]+)?)['\"]?[\s:=(]{1,4}30[1278]\b"
    r"|\b30[1278] (?:moved|found|temporary|permanent)|^\s*30[1278]\b"
    r"|jsondecodeerror|expecting value: line 1 column 1|unexpected end of json input"
    r"|unexpected token .{1,40}json|(?:empty|not valid|invalid) json",
    re.IGNORECASE,
)


def refused_paths(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line that names the URL, and ``POST URL 404`` as one line would say it."""
    urls = list(_urls(lines))
    told: set[str] = set()
    for number, line in enumerate(lines, 1):
        if NOT_THERE.search(line) is None:
            continue
        near = [
            (abs(end - number), at, url, how)
            for at, end, url, how in urls
            if _is_near(at, number) or 0 <= number - end <= _NEAR
        ]
        if near:
            _distance, at, url, how = min(near)
            if at != number and url not in told:
                told.add(url)
                yield at, f"{how} {url} 404"
    for head in heads_in(lines):
        if head.asked is not None and head.status in (404, 405):
            yield head.line, f'"POST {head.asked} HTTP/1.1" {head.status}'


def _urls(lines: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    """Number of the line, that of the end of the request printed there, the URL, the method."""
    for number, line in enumerate(lines, 1):
        match = _URL.search(line)
        if match is None:
            continue
        end = _end_of_body(lines, number) if _BODY.search(line) else number
        asks = any(map(_ASKS.search, lines[number:end]))
        how = match.group("method") or ("POST" if asks else "GET")
        yield number, end, match.group("url"), how.upper()


def _end_of_body(lines: Sequence[str], number: int) -> int:
    """The line in which the braces close that line ``number`` opens; that line, if none does."""
    depth = 0
    for at in range(number, min(len(lines), number + _LONGEST_BODY) + 1):
        depth += lines[at - 1].count("{") - lines[at - 1].count("}")
        if depth <= 0:
            return at
    return number


def doubled_slashes(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line that names the URL, and ``two slashes in the path of URL``; each once.

    Many servers take two slashes for one. So they count where a redirect, 404 or something that
    is no JSON stands near.
    """
    bad = [
        number
        for number, line in enumerate(lines, 1)
        if NOT_THERE.search(line) is not None or _NO_ANSWER.search(line) is not None
    ]
    told: set[str] = set()
    for number, line in enumerate(lines, 1):
        match = _URL.search(line)
        url = match.group("url") if match is not None else ""
        if url in told or _DOUBLED.search(url) is None:
            continue
        if any(_is_near(number, at) for at in bad):
            told.add(url)
            yield number, f"two slashes in the path of {url}"
    for head in heads_in(lines):
        asked = head.asked or ""
        if head.status in _ELSEWHERE and _DOUBLED.search(asked) is not None:
            yield head.line, f"two slashes in the path of {asked}"


def _is_near(number: int, other: int) -> bool:
    return abs(number - other) <= _NEAR
