"""Reads a client's SQLite database without touching it: no lock, no journal, no write.

What the program has not yet moved from its write-ahead log into the file is not seen; ``settled``
says that there is nothing like that.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from doctor.records import dataclass

_LONGEST = 64 * 1024 * 1024  # bytes; settings are far smaller
_MOST_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one query, the values by column."""

    rows: tuple[dict[str, Any], ...]
    settled: bool


def rows(path: Path, table: str, columns: Sequence[str]) -> Rows | None:
    """``columns`` of ``table``; those that it lacks are left out. None where the file is missing,
    no database, or has no such table. The names are the caller's own, never read from a file."""
    import sqlite3

    try:
        status = path.stat()
        log = path.with_name(path.name + "-wal")
        settled = not log.exists() or log.stat().st_size == 0
    except (OSError, ValueError):
        return None
    if status.st_size > _LONGEST:
        return None
    try:
        # as_uri quotes what would end the path; "immutable" takes no lock and makes no files.
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True, timeout=0)
    except (sqlite3.Error, ValueError):
        return None
    try:
        connection.row_factory = sqlite3.Row
        there = {str(row["name"]) for row in connection.execute(f'PRAGMA table_info("{table}")')}
        wanted = [column for column in columns if column in there]
        if not wanted:
            return None
        names = ", ".join(f'"{column}"' for column in wanted)
        query = f'SELECT {names} FROM "{table}" LIMIT {_MOST_ROWS}'  # noqa: S608 - own names
        found = tuple(dict(row) for row in connection.execute(query))
    except (sqlite3.Error, UnicodeDecodeError, OverflowError):
        return None
    finally:
        connection.close()
    return Rows(found, settled)
