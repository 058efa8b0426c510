"""Text that came from outside: made harmless before it is kept.

Server bodies, file values and log lines may hold terminal escapes, control characters and
direction overrides. They are made visible, not dropped: the stray character is often the fault.
Markup of each output (Rich, HTML, workflow commands) is the renderer's to escape.
"""

from __future__ import annotations

import unicodedata

LIMIT = 2_000

_NAMES = {
    "\n": "⏎",
    "\r": "␍",
    "\t": "⇥",
    "\ufeff": "<U+FEFF BOM>",
}


def visible(text: str, limit: int = LIMIT) -> str:
    """``text`` on one line with every control, format and unusual blank spelled out; itself where
    there is none, so that a message can still be translated."""
    out: list[str] = []
    for char in text[:limit]:
        if char in _NAMES:
            out.append(_NAMES[char])
        elif char == " " or (char.isprintable() and unicodedata.category(char) != "Zs"):
            out.append(char)
        else:
            out.append(f"<U+{ord(char):04X}>")
    if len(text) > limit:
        out.append(f"… ({len(text):,} characters)")
    shown = "".join(out)
    return text if shown == text else shown


def harmless(text: str, limit: int = LIMIT) -> str:
    """``text`` with line breaks kept and everything else that steers a terminal spelled out."""
    lines = text[:limit].replace("\r\n", "\n").split("\n")
    shown = "\n".join(visible(line, limit) for line in lines)
    return shown + (f"… ({len(text):,} characters)" if len(text) > limit else "")


def character_name(char: str) -> str:
    """``U+200B ZERO WIDTH SPACE``."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"
