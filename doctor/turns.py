"""Takes bursts of small work apart, so that keys and sockets are looked at in between.

One answer wakes every check that waited for it, of every target: in one round of the event loop
they would hold up the screen for a tenth of a second.
"""

from __future__ import annotations

import asyncio
from collections import deque

# So many checks take a few milliseconds.
AT_ONCE = 32


class Turns:
    """At most ``AT_ONCE`` tasks go on in one round of the loop; the others in the next ones, in
    the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._left = AT_ONCE
        self._going_round = False

    async def take(self) -> None:
        """Go on at once, or in a later round."""
        loop = asyncio.get_running_loop()
        if not self._going_round:
            self._going_round = True
            self._left = AT_ONCE
            loop.call_soon(self._round)
        if self._left and not self._waiting:
            self._left -= 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _round(self) -> None:
        self._left = AT_ONCE
        while self._waiting and self._left:
            turn = self._waiting.popleft()
            # Whoever waited may have been cancelled.
            if not turn.done():
                turn.set_result(None)
                self._left -= 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._round)
        else:
            self._going_round = False
