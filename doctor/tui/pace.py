"""Many changes, few redraws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

# Ten redraws a second look live, and leave a slow SSH line time for the keys.
INTERVAL = 0.1


class Later(Protocol):
    """Calls back after so many seconds, as ``Widget.set_timer`` does."""

    def __call__(self, delay: float, callback: Callable[[], None]) -> Any: ...


class Pace:
    """Calls ``draw`` at most once per ``INTERVAL``, however often ``ask`` is called."""

    def __init__(self, draw: Callable[[], None], later: Later, clock: Callable[[], float]) -> None:
        self._draw = draw
        self._later = later
        self._clock = clock
        self._drawn: float | None = None
        self._waiting = False

    def ask(self) -> None:
        """Something changed."""
        if self._waiting:
            return
        elapsed = INTERVAL if self._drawn is None else self._clock() - self._drawn
        if elapsed >= INTERVAL:
            self.now()
        else:
            self._waiting = True
            self._later(INTERVAL - elapsed, self.now)

    def now(self) -> None:
        """Draw at once: the last change must not wait."""
        self._waiting = False
        self._drawn = self._clock()
        self._draw()
