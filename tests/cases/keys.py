"""When the reconstructed server takes a key."""

from __future__ import annotations

import re
import unicodedata

_AROUND = " \t\r\n\"'`“”‘’„«»<>;,"
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_BEARER = re.compile(r"(?:authorization:\s*)?bearer\b:?\s*", re.IGNORECASE)
_NOTE = re.compile(r"\s+(?:#.*|[^\x00-\x7f].*)", re.DOTALL)


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
