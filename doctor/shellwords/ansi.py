"""``$'…'``: strings with the escapes of C."""

from __future__ import annotations

import re

from doctor.patterns import Pattern

QUOTED = Pattern(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL)
_ESCAPE = Pattern(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_BYTES = Pattern("[\udc80-\udcff]+")
_CHARACTERS = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n"}
_CHARACTERS |= {"r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}


def unescaped(text: str) -> str:
    """What stands between the quotes, with its escapes resolved."""
    return _BYTES.sub(_decoded, _ESCAPE.sub(_character, text))


def _decoded(match: re.Match[str]) -> str:
    """``\\xE2`` is a byte, of which several make a character."""
    return match.group().encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _character(match: re.Match[str]) -> str:
    two, four, eight, octal, control, char = match.groups()
    if four or eight:
        number = int(four or eight, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else ""
    if two or octal:
        byte = int(two, 16) if two else int(octal, 8) & 0xFF
        return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)
    if control:
        return chr(ord(control) & 0x1F)
    return _CHARACTERS.get(char, "\\" + char)
