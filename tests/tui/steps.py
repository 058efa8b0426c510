"""What a test does with an app: wait until something is so, read the screen."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot
from textual.screen import ModalScreen


async def until(pilot: Pilot[int], condition: Callable[[], bool]) -> None:
    """Let the app go on until ``condition`` holds; the test's time limit ends what never does."""
    while not condition():
        await pilot.pause()
    await pilot.pause()


async def settle(pilot: Pilot[int]) -> None:
    """Until no worker is busy and everything is drawn; a worker may wait for an answer."""
    app = pilot.app
    await pilot.pause()

    def idle() -> bool:
        asking = isinstance(app.screen, ModalScreen)
        return all(
            worker.is_finished or (asking and worker.group == "act") for worker in app.workers
        )

    await until(pilot, idle)
    await pilot.pause()


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Press keys one after the other, each time until the app is idle."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def text_of(pilot: Pilot[int]) -> str:
    """The screen as lines of text."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


async def choose(pilot: Pilot[int], typed: str) -> None:
    """Open the palette, type into it, and take the first that is offered."""
    await press(pilot, "slash")
    await press(pilot, *["space" if char == " " else char for char in typed])
    await press(pilot, "enter")
