"""JSON of a server that may have sent anything."""

from __future__ import annotations

import json
from typing import Any


class NotJson:
    """Stands for a text that is no JSON; ``None`` is a JSON value."""


def parse(text: str) -> Any:
    """The value, or the class ``NotJson``. Never raises, however deep or wrong the text is."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return NotJson


def parse_object(text: str) -> dict[str, Any]:
    """The object, empty where the text is none."""
    value = parse(text)
    return value if isinstance(value, dict) else {}


def words(value: object, limit: int = 2_000) -> str:
    """A scalar as text; anything else is empty. Booleans and None are no words."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)[:limit]
