"""The diagnose screen looks the way that was looked at and found good."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import settle, until

SIZES = ((80, 24), (120, 40), (200, 60))
STATES = ("running", "broken", "healthy", "unreachable")


def session_of(state: str) -> ScriptedSession:
    if state == "running":
        return ScriptedSession(samples.running_events(), targets=(samples.target(),), hang=True)
    report = getattr(samples, f"{state}_report")()
    return ScriptedSession(samples.events_of(report), targets=(samples.target(),))


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_diagnose_screen(
    size: tuple[int, int],
    state: str,
    theme: str,
    opens: Opens,
    same_picture: Callable[[str, str], None],
) -> None:
    session = session_of(state)
    app = opens(session, f"kvdoctor-{theme}")

    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: session.played)
        if state == "running":
            app.draw_now()
            await pilot.pause()
        else:
            await settle(pilot)
        picture = app.export_screenshot()

    same_picture(picture, f"{state}-{size[0]}x{size[1]}-{theme}")
