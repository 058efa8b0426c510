"""A base URL that the text states, for a 404 or 405 that names no address: joined with the path as
its client joins it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.explain.pasted.asked import NOT_THERE
from doctor.explain.pasted.stated import stated_in
from doctor.patterns import Pattern

# The address of the request is in the text, or the answer is about something else than a path.
_TOLD = Pattern(
    r"/(?:chat/completions|completions|responses|messages|models|embeddings)\b"
    r"|\b(?:POST|GET) ['\"]?(?:https?:/)?/\w|model_not_found|not_found_error"
    r"|\bmodels?\b[^\n]{0,80}(?:not (?:found|exist)|does not|404)",
    re.IGNORECASE,
)


def refused_below_stated(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line that states the base, and ``POST URL 404`` with the client's path. Silent
    where the text names the path itself, or states several bases."""
    if not any(map(NOT_THERE.search, lines)) or any(map(_TOLD.search, lines)):
        return
    bases = [one for one in stated_in(lines) if not one.name.lower().endswith("_proxy")]
    bases = [one for one in bases if "://" in one.value]
    if len({one.value for one in bases}) == 1:
        base = bases[0]
        path = "/v1/messages" if base.name.startswith("ANTHROPIC") else "/chat/completions"
        yield base.line, f"POST {base.value.rstrip('/')}{path} 404"
