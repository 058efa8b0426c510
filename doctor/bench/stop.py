"""How somebody ends a run before its bounds do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from doctor.records import dataclass

T = TypeVar("T")

_LOOK = 0.1


@dataclass(slots=True)
class Stop:
    """``asked``: no further request begins, and those under way end. ``cut``: they are dropped as
    well. Plain flags, so that another thread may set them."""

    asked: bool = False
    cut: bool = False

    def ask(self) -> None:
        """The first time to stop, the second time to stop at once."""
        self.cut = self.asked
        self.asked = True

    async def unless_cut(self, work: Awaitable[T]) -> T | None:
        """The result of ``work``; None, and ``work`` is cancelled, where it is cut."""
        task = asyncio.ensure_future(work)
        try:
            while not task.done():
                await asyncio.wait((task,), timeout=_LOOK)
                if self.cut and not task.done():
                    return None
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
