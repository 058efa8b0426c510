"""A key where the base URL is due.

It must not be taken for a host that lacks its scheme: it would be shown, and looked up by name,
which tells it to everybody on the way.
"""

from __future__ import annotations

import re
import unicodedata

from doctor.patterns import Pattern
from doctor.secrets import mask

_AROUND = " \t\r\n\"'`“”‘’"
_URL = Pattern(r"[\s\"'`“”‘’]*https?://", re.IGNORECASE)
_JWT = Pattern(r"ey[\w-]{10,}\.[\w-]{10,}\.[\w-]{6,}")
_PREFIXED = Pattern(
    r"(?:sk|pk|rk|cr|ak|fk|hf|gsk|xai|nvapi)[-_](?=\S*[0-9])[\x21-\x7e]{12,}"
    r"|AIza[\w-]{20,}|AQ\.[\w-]{30,}"
)
# Names have hyphens between their words; a key has a long run without any.
_LONG = Pattern(r"[A-Za-z0-9_+=%$~-]{20,}")
_RANDOM = Pattern(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16,}")
# Chinese has no blanks around a word of Latin letters. Those of full width are letters.
_WORD = Pattern(
    r"[^\s“”\u3000-\u303f\u3400-\u9fff\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)
# No name of a host in one word is so long, and no key.
_NO_HOST_FROM = 16
_NO_KEY_FROM = 4_096


def is_url(text: str) -> bool:
    """Whether ``text`` begins as a URL, quotes around it aside."""
    return _URL.match(text) is not None


def is_key(base: str, key: str = "") -> bool:
    """Whether ``base`` is a key. ``key`` is what stands in the key's place: if that is a URL, the
    two were likely exchanged."""
    if len(base) > _NO_KEY_FROM:
        return False
    text = _meant(base)
    if _JWT.fullmatch(text):
        return True
    # An address has at least one of these, unless it is one short word.
    if not text or any(char in text for char in "./:"):
        return False
    if _PREFIXED.fullmatch(text) or (_LONG.fullmatch(text) and _RANDOM.search(text)):
        return True
    return is_url(key) and len(text) >= _NO_HOST_FROM


def _meant(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    seen = "".join(char for char in plain if unicodedata.category(char) != "Cf").strip(_AROUND)
    while seen[:7].lower() == "bearer ":
        seen = seen[7:].strip(_AROUND)
    return seen


def without_keys(text: str) -> str:
    """``text`` with every word masked that looks like a key: what was typed in a wrong place."""
    return _WORD.sub(lambda match: _hidden(match.group(0)), text)


def _hidden(word: str) -> str:
    core = word.strip(_AROUND + ",;:()")
    _name, equals, value = core.partition("=")
    told = value if equals and is_key(value) else core
    return word.replace(told, mask(told)) if is_key(told) else word
