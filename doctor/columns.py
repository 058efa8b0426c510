"""Text in the columns of a terminal, where a Chinese character takes two.

Chinese has no blanks between words: a line may break between any two of its characters, except
before closing and after opening punctuation. Source of the widths: Unicode Standard Annex 11.
"""

from __future__ import annotations

import textwrap
import unicodedata

from doctor.patterns import Pattern

_NEVER_FIRST = frozenset("。，、；：！？）》」』】〉”’…·％")
_NEVER_LAST = frozenset("（《「『【〈“‘")
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
)
_PIECE = Pattern(f"[ \t]+|[{_WIDE}]|[^ \t{_WIDE}]+")


def columns(text: str) -> int:
    """How many columns ``text`` takes; combining and format characters take none."""
    return len(text) if text.isascii() else sum(_columns(char) for char in text)


def left(text: str, width: int) -> str:
    """``text`` with blanks behind it, up to ``width`` columns."""
    return text + " " * (width - columns(text))


def right(text: str, width: int) -> str:
    """``text`` with blanks ahead of it, up to ``width`` columns."""
    return " " * (width - columns(text)) + text


def wrapped(text: str, width: int, first: str = "", further: str = "") -> list[str]:
    """One paragraph in lines of at most ``width`` columns; no line where there is no text.

    ``first`` stands ahead of the first line and ``further`` ahead of the others. A word that is
    longer than a line stays whole.
    """
    if not has_wide(text):
        return textwrap.wrap(
            text,
            width,
            initial_indent=first,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
    text = text.rstrip()
    rooms = width - columns(first), width - columns(further)
    places = spans(text, *rooms)
    return [
        (further if number else first) + text[start:end]
        for number, (start, end) in enumerate(places)
    ]


def has_wide(text: str) -> bool:
    """Whether a character takes two columns."""
    return not text.isascii() and any(unicodedata.east_asian_width(char) in "WF" for char in text)


def spans(text: str, first: int, further: int) -> list[tuple[int, int]]:
    """Where the lines of ``text`` begin and end: ``first`` columns, then ``further`` for each."""
    found: list[tuple[int, int]] = []
    begin = end = 0
    for start, stop in _pieces(text):
        room = further if found else first
        if end > begin and columns(text[begin:stop]) > room:
            found.append((begin, end))
            begin = start
        end = stop
    return [*found, (begin, end)] if end > begin else found


def _pieces(text: str) -> list[tuple[int, int]]:
    """What must not be parted; blanks stand between two pieces, or ahead of the first."""
    pieces: list[tuple[int, int]] = []
    for match in _PIECE.finditer(text):
        start, stop = match.span()
        if match.group().isspace():
            continue
        closed = pieces and pieces[-1][1] == start
        if closed and (text[start] in _NEVER_FIRST or text[start - 1] in _NEVER_LAST):
            pieces[-1] = (pieces[-1][0], stop)
        else:
            pieces.append((start if pieces else 0, stop))
    return pieces


def _columns(char: str) -> int:
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 0 if unicodedata.category(char) in ("Mn", "Me", "Cf") else 1
