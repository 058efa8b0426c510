"""Status lines and headers as ``curl -v`` and ``curl -i`` print them, and statuses in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from doctor.patterns import Pattern
from doctor.records import dataclass

_STATUS = Pattern(r"^\s*<?\s*HTTP/[\d.]+ (?P<status>[1-5]\d\d)\b(?P<reason>.*)")
_HEADER = Pattern(r"^\s*<?\s?(?P<name>[A-Za-z][\w-]*):\s*(?P<value>.*)$")
_SENT = Pattern(r"^\s*> (?P<method>POST|GET) (?P<path>/\S*|https?://\S+) HTTP/")
# ``Error code: 401``, ``status=404``, ``API Error: 400``, ``"statusCode": 404``, ``status 503``.
_IN_PROSE = Pattern(
    r"(?:error code|status ?code|httpstatus(?:code)?|http ?status|api error|status|http(?:/[\d.]+)?"
    r"|error)['\"]?[\s:=(]{1,4}(?P<status>[1-5]\d\d)\b|(?<![\d.:,])(?P<bare>[45]\d\d) ?(?=\{)",
    re.IGNORECASE,
)
# A status belongs to the body behind it, and to one a few lines further down.
_NEAR = 300


@dataclass(frozen=True, slots=True)
class Head:
    """``line`` counts from 1. ``asked`` is the path of the request where curl shows it."""

    line: int
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    last_line: int = 0
    asked: str | None = None


def heads_in(lines: Sequence[str]) -> Iterator[Head]:
    """Every status line with the headers below it. A proxy's answer to CONNECT is none."""
    asked: str | None = None
    for index, line in enumerate(lines):
        sent = _SENT.match(line)
        if sent is not None:
            asked = sent.group("path")
        match = _STATUS.match(line)
        if match is None or "connection established" in match.group("reason").lower():
            continue
        headers, last = _headers(lines, index + 1)
        yield Head(index + 1, int(match.group("status")), headers, last, asked)


def _headers(lines: Sequence[str], index: int) -> tuple[dict[str, str], int]:
    headers: dict[str, str] = {}
    while index < len(lines) and (match := _HEADER.match(lines[index])):
        headers[match.group("name").lower()] = match.group("value").strip()
        index += 1
    return headers, index


def status_before(text: str, start: int) -> int | None:
    """The status that the text names last before ``start``, near it; None where there is none."""
    found = list(_IN_PROSE.finditer(text[max(0, start - _NEAR) : start + 1]))
    if not found:
        return None
    last = found[-1]
    return int(last.group("status") or last.group("bare"))
