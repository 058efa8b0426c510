"""An explained error text, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.text import Text


@dataclass(frozen=True, slots=True)
class Cause:
    """One possible cause. ``percent`` is its likelihood; ``here`` the place in the settings of
    this machine that shows it; ``fix`` what the check's documentation says to do."""

    code: str
    title: str
    percent: int
    meaning: Text
    tell_apart: Text
    quote: str
    here: str | None = None
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """The causes, likeliest first; empty where no text of it is known."""

    causes: tuple[Cause, ...]
