"""The path of a request whose refusal stands in another line.

Loggers print the URL and the status apart: ``url: 'https://…/responses'``, then ``statusCode:
404``. Put together they are the line that the dictionary of URLs reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.explain.pasted.heads import heads_in
from doctor.patterns import Pattern

# What says "no such path" in a line of its own.
_NOT_THERE = Pattern(
    r"(?:status ?code|status|error code|http(?:/[\d.]+)?)['\"]?[\s:=(]{1,4}40[45]\b"
    r"|\b40[45] (?:page )?not (?:found|allowed)|^\s*40[45]\b|\{\s*\"detail\":\s*\"not found\"\s*\}",
    re.IGNORECASE,
)
_URL = Pattern(
    r"(?:\burl['\"]?\s*[:=]\s*['\"]?|\b(?:POST|GET)\s+['\"]?|\brequest to |\bfor url:?\s*['\"]?)"
    r"(?P<url>https?://[^\s'\",)]+)",
    re.IGNORECASE,
)
_NEAR = 12


def refused_paths(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line that names the URL, and ``POST URL 404`` as one line would say it."""
    urls = [
        (number, match.group("url"))
        for number, line in enumerate(lines, 1)
        if (match := _URL.search(line)) is not None
    ]
    told: set[str] = set()
    for number, line in enumerate(lines, 1):
        if _NOT_THERE.search(line) is None:
            continue
        near = [(abs(at - number), at, url) for at, url in urls if abs(at - number) <= _NEAR]
        if near:
            _distance, at, url = min(near)
            if at != number and url not in told:
                told.add(url)
                yield at, f"POST {url} 404"
    for head in heads_in(lines):
        if head.asked is not None and head.status in (404, 405):
            yield head.line, f'"POST {head.asked} HTTP/1.1" {head.status}'
