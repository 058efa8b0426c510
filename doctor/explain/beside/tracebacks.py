"""Tracebacks whose failing line has nothing to do with a request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from doctor.patterns import Pattern

_FRAME = Pattern(r"^\s*File \"")
_MARKS = Pattern(r"^[\s~^]+$")
# How far above its exception the failing line stands.
_ABOVE = 4
_OF_AN_ANSWER = Pattern(
    r"choice|chunk|resp|complet|message|result|content|answer|candidate|output|json|data|\br\b",
    re.IGNORECASE,
)
_WRITES = Pattern(r"\bprint\(|\.write(?:lines|row)?\(|\bopen\(|\.encode\(\)?['\"]ascii|\blogg")


def failed_elsewhere(lines: Sequence[str], number: int) -> bool:
    """Whether the traceback above line ``number``, an exception, shows a failing line that has
    nothing to do with a request or its answer."""
    exception = lines[number - 1]
    above = [line for line in lines[max(0, number - 1 - _ABOVE) : number - 1] if line.strip()]
    above = [line for line in above if _MARKS.match(line) is None]
    if above and "UnicodeEncodeError" in exception:
        return _WRITES.search(above[-1]) is not None
    if len(above) < 2 or _FRAME.match(above[-2]) is None or _FRAME.match(above[-1]) is not None:
        return False
    if "IndexError" in exception or "'NoneType' object is not subscriptable" in exception:
        return _OF_AN_ANSWER.search(above[-1]) is None
    return False
