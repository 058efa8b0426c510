"""Text of others inside markdown: it makes no link, image, heading, mention or HTML.

Punctuation is escaped with a backslash. Words that a viewer turns into links on its own (addresses,
``@name``, ``#12``) become code, which no viewer looks into; an escape would not help there, since
they are looked for after the escapes are gone. So do names with an underscore, to be readable.
"""

from __future__ import annotations

from doctor.patterns import Pattern

_SPECIAL = Pattern(r"([\\`*_\[\]<>|~$&#])")
_LIST = Pattern(r"^(\d{1,9})(?=[.)](?:\s|$))")
_RULE = Pattern(r"^(?=[-+](?:\s|$|-)|=)")
_NAME = Pattern(r"[\w.]*[A-Za-z0-9]_[\w.]*")
_LINKED = Pattern(r"://|www\.|@|#\d|[A-Za-z]:[A-Za-z0-9_+-]+:|\bmailto:|\bxmpp:|GH-\d", 2)
_COMMIT = Pattern(r"\b[0-9a-f]{7,40}\b")
_TICKS = Pattern(r"`+")
_EDGES = Pattern(r"^([(\"'“‘（]*)(.*?)([)\"'”’.,;:!?，。；：！？、）]*)$")


def text(value: str) -> str:
    """One line of running text. Blanks ahead would hide a list's number, or make code of it."""
    words = [_word(word) for word in value.replace("\n", " ").lstrip().split(" ")]
    return _RULE.sub(r"\\", _LIST.sub(r"\1\\", " ".join(words)))


def paragraph(value: str) -> str:
    """Text with its line breaks, as one paragraph each."""
    lines = [text(line.strip()) for line in value.split("\n")]
    return "\n\n".join(line for line in lines if line)


def cell(value: str) -> str:
    """A cell of a table; a bar would end it even in code."""
    return Pattern(r"(?<!\\)\|").sub(r"\\|", text(value))


def code(value: str) -> str:
    """A span of code on one line, whatever backticks are in it."""
    plain = value.replace("\n", " ")
    if not plain.strip():
        return ""
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(plain)), default=0))
    blank = " " if plain[0] in "` " or plain[-1] in "` " else ""
    return f"{fence}{blank}{plain}{blank}{fence}"


def block(value: str, language: str = "") -> str:
    """A fenced block, whatever fences are in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(value)), default=0))
    return f"{fence}{language}\n{value.rstrip()}\n{fence}"


def _word(word: str) -> str:
    match = _EDGES.match(word)
    before, inner, after = match.groups() if match else ("", word, "")
    if inner and (_LINKED.search(word) or _COMMIT.search(word) or _NAME.fullmatch(inner)):
        return _SPECIAL.sub(r"\\\1", before) + code(inner) + _SPECIAL.sub(r"\\\1", after)
    return _SPECIAL.sub(r"\\\1", word)
