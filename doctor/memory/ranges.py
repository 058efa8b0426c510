"""A figure that is not known exactly."""

from __future__ import annotations

from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes: at best, likely, at worst."""

    low: int
    likely: int
    high: int


NOTHING = Range(0, 0, 0)
