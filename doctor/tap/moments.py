"""The moments of an exchange in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from doctor.tap.record import Timing
from doctor.tap.seen import Seen


def timing_of(seen: Seen, events: Sequence[float], token: float | None) -> Timing:
    """``events`` are the moments of a stream's events, ``token`` that of the first content."""
    gaps = [(later - before) * 1000 for before, later in pairwise(events)]
    return Timing(
        connected=_ms(after(seen, seen.connected)),
        sent=_ms(after(seen, seen.sent)),
        headers=_ms(after(seen, seen.answered)),
        first_token=_ms(after(seen, token)),
        total=_ms(after(seen, seen.ended)),
        gap_p50=_ms(share_of(gaps, 0.50)),
        gap_p99=_ms(share_of(gaps, 0.99)),
        longest_gap=_ms(max(gaps, default=None)),
    )


def share_of(values: Sequence[float], share: float) -> float | None:
    """The value that ``share`` of ``values`` does not exceed; None where there are none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def after(seen: Seen, moment: float | None) -> float | None:
    """Milliseconds since the request began; a connection may have stood before."""
    return None if moment is None else max((moment - seen.begun) * 1000, 0.0)


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
