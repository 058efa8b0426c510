"""An explained text or log, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from doctor.text import Text

if TYPE_CHECKING:
    from doctor.explain.log.engine import Start


@dataclass(frozen=True, slots=True)
class Cause:
    """One possible cause. ``percent`` is its likelihood; ``line`` and ``times`` say where its text
    stands first and how often; ``here`` is the place in the settings of this machine that shows
    it; ``changes`` are flags or variables as they could be written instead; ``fix`` is what the
    check's documentation says to do. ``checked``: there is a check of that code."""

    code: str
    title: str
    percent: int
    meaning: Text
    tell_apart: Text
    quote: str
    line: int = 1
    times: int = 1
    here: str | None = None
    changes: tuple[str, ...] = ()
    fix: str | None = None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Explained:
    """The causes, likeliest first; empty where no text of it is known. Of an engine's log
    ``summary`` says what became of its starts, and ``start`` is the last one; ``drawn``: it tells
    numbers of which there is a picture."""

    causes: tuple[Cause, ...]
    summary: tuple[Text, ...] = ()
    start: Start | None = None
    drawn: bool = False
