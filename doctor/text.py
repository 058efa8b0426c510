"""User-visible text: English now, another language when it is shown.

Machine formats are English whatever the language, people read their own. So a message is an
ordinary ``str`` in English that remembers its message id and parameters; a renderer asks for the
translation. ``_`` is the marker that message extraction looks for.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from doctor.patterns import Pattern

LOCALE_DIR = Path(__file__).parent / "locale"

# A text that only joins others, and what it looks like between two Chinese sentences.
_JOINING = Pattern(r"(\{\w+\}[,;]? ?)+")
_GAP = Pattern(r"(?<=[。；：！？，、）]) (?=\S)")


class Text(str):
    """An English message with the msgid and the parameters it was made from."""

    __slots__ = ("msgid", "params")

    msgid: str
    params: dict[str, Any]

    def __new__(cls, msgid: str, /, **params: Any) -> Text:
        text = super().__new__(cls, msgid.format(**params) if params else msgid)
        text.msgid = msgid
        text.params = params
        return text

    def __str__(self) -> str:
        """Itself: what went through an exception is still a message."""
        return self


def _(msgid: str, /, **params: Any) -> Text:
    """Mark ``msgid`` for translation and fill ``{name}`` parameters."""
    return Text(msgid, **params)


def message(text: str) -> Text:
    """``text`` as a message: one by itself unless it is one already."""
    return text if isinstance(text, Text) else Text(text)


def joined(*sentences: str, blank: str = " ") -> Text:
    """Sentences one after another, each translated by itself."""
    parts = {f"s{number}": sentence for number, sentence in enumerate(sentences) if sentence}
    return Text(blank.join(f"{{{name}}}" for name in parts), **parts)


def stacked(lines: Iterable[str]) -> Text:
    """Lines below one another, empty ones too, each translated by itself."""
    parts = {f"s{number}": line for number, line in enumerate(lines)}
    return Text("\n".join(f"{{{name}}}" for name in parts), **parts)


def listed(items: Iterable[str], between: str = ", ") -> Text:
    """Items one after another, each translated by itself; ``between`` is ``, `` or ``; ``."""
    return joined(*items, blank=between)


class Translator:
    """Turns ``Text`` into the reader's language; plain strings pass unchanged."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._wide = language.startswith("zh")
        self._catalogue = gettext.translation(
            "kvdoctor", LOCALE_DIR, languages=[language], fallback=True
        )

    def __call__(self, text: str) -> str:
        if not isinstance(text, Text):
            return text
        params = {
            name: self(value) if isinstance(value, str) else value
            for name, value in text.params.items()
        }
        # The empty message id is the catalogue's header.
        translated = self._catalogue.gettext(text.msgid) if text.msgid else ""
        if not params:
            return translated
        if not self._wide or not _JOINING.fullmatch(text.msgid):
            return translated.format(**params)
        translated = translated.replace("}, {", "}、{").replace("}; {", "}；{")
        return _GAP.sub("", translated.format(**params))
