"""When a stored login ends, as its file says it."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

# The year 9999: what lies behind it is no date.
_LAST = 253_402_300_799


def seconds(milliseconds: Any) -> float | None:
    """Seconds since 1970 of a time in milliseconds; None for what is no time."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return _date(milliseconds / 1000) if math.isfinite(milliseconds) else None


def of_token(token: Any) -> float | None:
    """The ``exp`` of a JWT, which is not verified; None for anything else."""
    if not isinstance(token, str) or token.count(".") != 2:
        return None
    body = token.split(".")[1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return _date(float(claims["exp"]))
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None


def _date(time: float) -> float | None:
    return time if 0 < time <= _LAST else None
