"""Sizes as container runtimes and Kubernetes write them."""

from __future__ import annotations

from doctor.patterns import Pattern

_SIZE = Pattern(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)(b?)\s*", flags=2)  # re.IGNORECASE
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size_of(text: str, *, decimal: bool = False) -> int | None:
    """Bytes: ``16g``, ``16gb``, ``2Gi``, ``64m``. Docker counts in 1024s, Kubernetes without the
    ``i`` (``decimal``) in 1000s. None for what is no size."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    number, unit, binary, _ = match.groups()
    base = 1000 if decimal and not binary else 1024
    return int(float(number) * base ** _POWERS[unit.lower()])
