"""Tables of kvdoctor's own TOML files, judged strictly: a wrong name or type is told with its line
and the nearest right one."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from doctor.settings.documents import Document
from doctor.settings.errors import ConfigError
from doctor.settings.locate import Path as KeyPath
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible

_TYPE_WORDS = {
    str: "a string in quotes",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list in brackets",
    datetime.date: "a date such as 2030-01-31",
}


class Tables:
    """A document and the name that it is told by."""

    def __init__(self, document: Document, shown: str) -> None:
        self.document = document
        self.shown = shown

    def wrong(self, message: str, path: KeyPath) -> ConfigError:
        """The error to raise, with the line of ``path`` or of what it lies in."""
        while path and self.document.line(path) is None:
            path = path[:-1]
        return ConfigError(message, self.shown, self.document.line(path) if path else None)

    def known(self, path: KeyPath, table: Mapping[str, Any], names: Iterable[str]) -> None:
        """Refuse keys of ``table`` other than ``names``."""
        allowed = tuple(names)
        for key in table:
            if key not in allowed:
                near = nearest(key, allowed)
                message = (
                    _("unknown key '{key}'; the nearest is '{near}'", key=visible(key), near=near)
                    if near
                    else _(
                        "unknown key '{key}'; known are {names}",
                        key=visible(key),
                        names=listed(allowed),
                    )
                )
                raise self.wrong(message, (*path, key))

    def typed(
        self, path: KeyPath, table: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]
    ) -> None:
        """Refuse keys that ``types`` does not have, and values of other types."""
        self.known(path, table, types)
        for key, value in table.items():
            right = types[key]
            # True is an int in Python, and a date with a time is a date.
            strange = isinstance(value, bool) and bool not in right
            strange |= isinstance(value, datetime.datetime)
            if strange or not isinstance(value, right):
                text = _("'{key}' must be {kind}", key=key, kind=_TYPE_WORDS[right[-1]])
                raise self.wrong(text, (*path, key))

    def choice(
        self, path: KeyPath, table: Mapping[str, Any], key: str, allowed: Iterable[str]
    ) -> None:
        """Refuse a value of ``key`` that is none of ``allowed``."""
        value = table.get(key)
        names = tuple(allowed)
        if value is None or value in names:
            return
        near = nearest(value, names)
        text = (
            _(
                "'{key}' cannot be '{value}'; the nearest is '{near}'",
                key=key,
                value=visible(value),
                near=near,
            )
            if near
            else _("'{key}' must be one of {names}", key=key, names=listed(names))
        )
        raise self.wrong(text, (*path, key))


def listed(names: Iterable[str]) -> str:
    """``'a', 'b'``."""
    return ", ".join(f"'{name}'" for name in names)
