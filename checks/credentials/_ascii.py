"""From a key with characters beyond ASCII to the key that was likely meant."""

from __future__ import annotations

import unicodedata

from doctor.patterns import Pattern
from doctor.records import dataclass

from ._key_text import BLANKS, looks_like_key, without_quotes

# Letters and dashes that look like ASCII ones and are none after NFKC either: what keyboards,
# word processors and chat programs put in their place.
_LOOK_ALIKE = str.maketrans(
    "‐‑‒–—―−﹘ーАВЕЅІЈКМНОРСТУХаеорсухіјѕһԁԛԝвкмнтΑΒΕΖΗΙΚΜΝΟΡΤΥΧονα",
    "---------ABESIJKMHOPCTYXaeopcyxijshdqwbkmhtABEZHIKMNOPTYXova",
)
_ASCII_RUN = Pattern(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A key in ASCII. ``certain``: nothing but what cannot be seen, or a note behind it, went."""

    text: str
    certain: bool


def first_foreign(text: str) -> tuple[int, str] | None:
    """Position (from 0) and value of the first character beyond ASCII, None without one."""
    return next(((at, char) for at, char in enumerate(text) if not char.isascii()), None)


def mostly_ascii(text: str) -> bool:
    """At least half is ASCII once full-width forms are told: else it is a word of a language."""
    width = "".join(char if char.isascii() else _narrow(char) for char in text)
    return sum(char.isascii() for char in width) * 2 >= len(width)


def readings(text: str) -> tuple[Reading, ...]:
    """What the key was likely meant to be, likeliest first; empty where it cannot be told.

    Blanks and quotes of ASCII at its ends stay where they are.
    """
    seen = _without_invisible(text)
    if without_quotes(seen).isascii():
        # Typographic quotes that come to the ends by that are for KVD103.
        return (Reading(seen, True),) if seen != text and seen.strip(BLANKS) else ()
    words = seen.split()
    if len(words) > 1:
        return _from_words(words)
    straight = unicodedata.normalize("NFKC", seen).translate(_LOOK_ALIKE)
    if straight.isascii() and mostly_ascii(seen):
        return (Reading(straight, False),)
    runs = [run for run in _ASCII_RUN.findall(seen) if looks_like_key(run)]
    return (Reading(runs[0], False),) if len(runs) == 1 else ()


def _without_invisible(text: str) -> str:
    """Less zero-width and format characters, and less blanks beyond ASCII at its ends."""
    kept = "".join(char for char in text if unicodedata.category(char) != "Cf")
    start = next((at for at, char in enumerate(kept) if not _foreign_blank(char)), len(kept))
    end = len(kept)
    while end > start and _foreign_blank(kept[end - 1]):
        end -= 1
    return kept[start:end]


def _foreign_blank(char: str) -> bool:
    return not char.isascii() and char.isspace()


def _from_words(words: list[str]) -> tuple[Reading, ...]:
    """The key ahead of a note, or the parts of one that a no-break blank took apart."""
    keys = [word for word in words if word.isascii() and looks_like_key(word)]
    if all(word.isascii() for word in words):
        joined = "".join(words)
        return tuple(Reading(text, False) for text in dict.fromkeys((*keys, joined)))
    if len(keys) == 1:
        return (Reading(keys[0], keys[0] == words[0]),)
    return tuple(Reading(key, False) for key in keys)


def _narrow(char: str) -> str:
    narrow = unicodedata.normalize("NFKC", char)
    return narrow if narrow.isascii() and len(narrow) == 1 else char
