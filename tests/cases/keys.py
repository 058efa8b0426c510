"""When the reconstructed server takes a key."""

from __future__ import annotations

import re
import unicodedata

from .case import Case

_AROUND = " \t\r\n\"'`“”‘’„«»<>;,"
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_BEARER = re.compile(r"(?:authorization:\s*)?bearer\b:?\s*", re.IGNORECASE)
_NOTE = re.compile(r"\s+(?:#.*|[^\x00-\x7f].*)", re.DOTALL)


# What a refusal leaves of the key: its beginning, stars, its end.
_MASK = re.compile(r"(?P<head>[\w.-]*)\*{3,}(?P<tail>\w+)")
_ASSIGNED = re.compile(r"(?:KEY|TOKEN)\"?\s*[=:]\s*[\"']?(?P<key>[\w.-]{16,})", re.IGNORECASE)


def others_than_refused(case: Case) -> frozenset[str]:
    """The keys in the report that are none of the one whose ends the refusal shows: nothing tells
    that they are bad."""
    mask = None if case.response is None else _MASK.search(case.response.body)
    if mask is None:
        return frozenset()
    texts = (*case.files.values(), *(f"{name}={value}" for name, value in case.env.items()))
    told = {match["key"] for text in texts for match in _ASSIGNED.finditer(text)}
    return frozenset(
        key for key in told if not (key.startswith(mask["head"]) and key.endswith(mask["tail"]))
    )


def cleaned(key: str) -> str:
    """``key`` as its owner meant it: without what pasting and files add to it."""
    shorter = _less(key)
    return shorter if shorter == key else cleaned(shorter)


def _less(key: str) -> str:
    text = unicodedata.normalize("NFKC", key).translate(_DASHES)
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    text = _BEARER.sub("", text.strip(_AROUND), count=1)
    return re.sub(r"\s", "", _NOTE.sub("", text))


def is_sane(key: str) -> bool:
    return bool(key) and key.isascii() and key.isprintable() and " " not in key
