"""A number is a status where something in its line says so."""

from __future__ import annotations

import re

from doctor.patterns import Pattern

_HTTP = Pattern(
    r"error|status|https?\b|\bcodes?\b|respon|return|\bg[eo]t\b|\bpost\b|request|fail|unauth|forbid"
    r"|denied|refus|reject|\bapi\b|server|gateway|\burl\b|curl|retr|\bkey\b|limit|answer|log ?in"
    r"|exception|upstream|too many|not found|unavailable|overload|model|\bsays?\b|\bgives?\b"
    r"|错|返回|状态|失败|请求|网关|提示|出现|调用|接口|显示|限|异常|报|码",
    re.IGNORECASE,
)
_SHORT = 40
# A line of a file, an amount, a part of a longer number or of a date.
_AMOUNT_BEFORE = Pattern(
    r"(?:[=!]={1,2} ?|\.(?:py|js|ts|tsx|jsx|go|rs|cc|cpp|java|rb|php|c|h):|\blines? |[#$€£¥~]"
    r"|\d[.,:/-]"
    r"|\b\w*(?:tokens?|count|size|total|len(?:gth)?|quota|id|line|port|pid|bytes|seed|index|prompt"
    r"|completion|used|remaining|price|width|height|rows?|cols?|time)['\"]?\s{0,2}[=:]\s{0,2})$",
    re.IGNORECASE,
)
_AMOUNT_AFTER = Pattern(
    r" ?[=!]==?|[.,:/-]\d|%|(?: page|的)(?! not\b)|\.?\d*\s?(?:[mµu]s|s|secs?|seconds|min(?:utes)?"
    r"|[kmgt]i?b|bytes|tokens|lines?|files?|rows?|items|tests|insertions|deletions|additions"
    r"|commits|reqs|x)\b| [-+]{2,}",
    re.IGNORECASE,
)


def is_status(match: re.Match[str]) -> bool:
    """Whether what matched is a status, where it is no more than a number (the group ``bare``)."""
    if not match.groupdict().get("bare"):
        return True
    line, start, end = match.string, match.start("bare"), match.end("bare")
    if _AMOUNT_BEFORE.search(line[max(0, start - 40) : start]) or _AMOUNT_AFTER.match(line, end):
        return False
    return len(line.strip()) <= _SHORT or _HTTP.search(line) is not None
