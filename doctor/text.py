"""User-visible text: English now, another language when it is shown.

Machine formats are English whatever the language, people read their own. So a message is an
ordinary ``str`` in English that remembers its message id and parameters; a renderer asks for the
translation. ``_`` is the marker that message extraction looks for.
"""

from __future__ import annotations

import gettext
from pathlib import Path
from typing import Any

LOCALE_DIR = Path(__file__).parent / "locale"


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


def _(msgid: str, /, **params: Any) -> Text:
    """Mark ``msgid`` for translation and fill ``{name}`` parameters."""
    return Text(msgid, **params)


def joined(*sentences: str, blank: str = " ") -> Text:
    """Sentences one after another, each translated by itself."""
    parts = {f"s{number}": sentence for number, sentence in enumerate(sentences) if sentence}
    return Text(blank.join(f"{{{name}}}" for name in parts), **parts)


class Translator:
    """Turns ``Text`` into the reader's language; plain strings pass unchanged."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
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
        translated = self._catalogue.gettext(text.msgid)
        return translated.format(**params) if params else translated
