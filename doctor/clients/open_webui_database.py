"""What Open WebUI keeps in ``webui.db``, read without a lock and without writing anything."""

from __future__ import annotations

import contextlib
import json
import urllib.parse
from pathlib import Path
from typing import Any

from doctor.records import dataclass

_NAMES = ("openai.api_base_urls", "openai.api_keys")


@dataclass(frozen=True, slots=True)
class Stored:
    """Addresses and keys, paired by position."""

    bases: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


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
                data = _parsed(row[0] if row else None)
                table = data.get("openai") if isinstance(data, dict) else None
                if isinstance(table, dict):
                    return Stored(_texts(table.get("api_base_urls")), _texts(table.get("api_keys")))
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
