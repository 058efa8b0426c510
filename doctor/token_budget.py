"""What output budget fits a window. Pure; all numbers are tokens.

vLLM ≥ 0.10 clamps prompt + max_tokens to the window and refuses only a max_tokens above it; older
engines and most gateways refuse the sum (facts/gateway-clients.md §4.4 row 16). A budget that
leaves room for a prompt is right for both.
"""

from __future__ import annotations

from collections.abc import Sequence

from doctor.facts.answers import ServedModel

_ROOM = 1_024


def room_for_prompt(window: int) -> int:
    """What a sensible budget leaves free of ``window``: a quarter, at least 1,024, at most half."""
    return min(max(_ROOM, window // 4), window // 2)


def fitting(window: int) -> int:
    """The largest max_tokens that leaves room for a prompt; at least 1."""
    return max(1, window - room_for_prompt(window))


def served_window(models: Sequence[ServedModel] | None, model: str | None) -> int | None:
    """The window of ``model`` as the models list tells it."""
    return next((entry.window for entry in models or () if entry.id == model), None)
