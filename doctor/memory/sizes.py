"""Sizes as people read them."""

from __future__ import annotations

_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def shown(size: int) -> str:
    """``16.0 GiB``, ``320 KiB``, ``0 B``; whole numbers without a fraction below GiB."""
    for step, unit in _STEPS:
        if abs(size) >= step:
            value = size / step
            small = unit in ("MiB", "KiB") and (value == int(value) or value >= 100)
            digits = 0 if small else 2 if value < 10 else 1
            return f"{value:,.{digits}f} {unit}"
    return f"{size:,} B"
