"""What Open WebUI keeps of its settings, read without a lock and without writing anything.

Old versions keep them in ``config.json``; newer ones take such a file into ``webui.db`` at their
start and give it another name (its public source, ``import_legacy_config_json``).
"""

from __future__ import annotations

import contextlib
import json
import os
import urllib.parse
from pathlib import Path
from typing import Any

from doctor.records import dataclass
from doctor.settings import textfile

_NAMES = ("openai.api_base_urls", "openai.api_keys")


@dataclass(frozen=True, slots=True)
class Stored:
    """Addresses and keys, paired by position."""

    bases: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


def kept(folder: Path) -> tuple[Path, Stored] | None:
    """The file in ``folder`` that counts and what it says; None where neither is one of these."""
    for name, read in (("config.json", _of_file), ("webui.db", stored)):
        path = folder / name
        if os.path.isfile(path) and (said := read(path)).bases:
            return path, said
    return None


def _of_file(path: Path) -> Stored:
    try:
        text = textfile.read(path).text
    except textfile.Unreadable:
        return Stored()
    return _of_tree(_parsed(text))


def _of_tree(data: Any) -> Stored:
    table = data.get("openai") if isinstance(data, dict) else None
    if not isinstance(table, dict):
        return Stored()
    return Stored(_texts(table.get("api_base_urls")), _texts(table.get("api_keys")))


def stored(path: Path) -> Stored:
    """Nothing where the file is no database of Open WebUI. One row of JSON up to 0.10, since then
    a row per name."""
    import sqlite3

    url = f"file:{urllib.parse.quote(str(path))}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(url, uri=True, timeout=1)) as database:
            columns = {row[1] for row in database.execute("PRAGMA table_info(config)")}
            if {"key", "value"} <= columns:
                rows = dict(
                    database.execute("SELECT key, value FROM config WHERE key IN (?, ?)", _NAMES)
                )
                return Stored(*(_texts(_parsed(rows.get(name))) for name in _NAMES))
            if {"id", "data"} <= columns:
                row = database.execute(
                    "SELECT data FROM config ORDER BY id DESC LIMIT 1"
                ).fetchone()
                return _of_tree(_parsed(row[0] if row else None))
    except (sqlite3.Error, ValueError):
        return Stored()
    return Stored()


def _parsed(value: Any) -> Any:
    if not isinstance(value, str | bytes):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _texts(value: Any) -> tuple[str, ...]:
    """Every entry as text, so that positions stay what they are."""
    entries = value if isinstance(value, list) else []
    return tuple(entry if isinstance(entry, str) else "" for entry in entries)
