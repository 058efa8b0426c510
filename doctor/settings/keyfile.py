"""Reads a key from a file or from stdin as it stands.

Exactly one line end is taken off the end, because editors and ``echo`` add it and every program
that offers a key file drops it; whatever else is there (a second line end, blanks, a BOM) stays,
for it is what would be sent.
"""

from __future__ import annotations

from pathlib import Path

from doctor.secrets import Secret
from doctor.settings.textfile import Unreadable, read
from doctor.text import _

_LIMIT = 64 * 1024


def read_key_file(path: Path) -> Secret:
    """The key in ``path``. Raises ``Unreadable``."""
    source = read(path, _LIMIT)
    if source.undecodable is not None or source.encoding != "utf-8":
        raise Unreadable(_("it is not UTF-8 text"))
    return key_of(source.text)


def key_of(text: str) -> Secret:
    """``text`` without one line end."""
    for end in ("\r\n", "\n"):
        if text.endswith(end):
            return Secret(text.removesuffix(end))
    return Secret(text)
