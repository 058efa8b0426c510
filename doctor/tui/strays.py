"""Characters that ``doctor.untrusted`` spelled out, found again so that they can stand out."""

from __future__ import annotations

import re

from textual.content import Content

from doctor.tui import signs

_STRAY = re.compile(r"⏎|␍|⇥|<U\+[0-9A-F]{4,6}[^>]{0,12}>")


def with_strays(text: str, style: str = "") -> Content:
    """``text`` in ``style``, its stray characters loud. The text is never read as markup."""
    content = Content(text)
    if style:
        content = content.stylize(style)
    for match in _STRAY.finditer(text):
        content = content.stylize(signs.LOUD, match.start(), match.end())
    return content
