"""The nearest of some known names to a wrong one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The most similar name whatever its case, or None where nothing is close."""
    import difflib

    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[close[0]] if close else None
