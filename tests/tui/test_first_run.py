"""From nothing but a key to the first answer, in a home without any settings."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from doctor.commands.tui import journal_of
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.scenarios import Setup
from doctor.demo.scenarios.sound import MODEL
from doctor.demo.servers import Servers
from doctor.demo.stage import STARTUP, furnish
from doctor.secrets import Redactor
from doctor.text import Translator
from doctor.tui.app import DoctorApp
from doctor.tui.first_steps import first_steps
from doctor.tui.live import LiveSession
from doctor.tui.screens.first_run import Aim, FirstRunScreen
from doctor.tui.speech import Speech
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of
from tests.tui.test_live import options

SIZES = ((80, 24), (120, 40))


@asynccontextmanager
async def at_home(
    home: Path, variables: dict[str, str]
) -> AsyncIterator[tuple[Pilot[int], LoopbackServer]]:
    """The app where nothing is configured, and a gateway on loopback."""
    environment = furnish(home, Setup(variables))
    (home / STARTUP).unlink()
    redactor = Redactor()
    session = LiveSession(options(), environment, redactor, journal_of(environment))
    async with contextlib.AsyncExitStack() as stack:
        gateway = await Servers(stack).open(NewApi())
        app = DoctorApp(session, Speech(Translator("en"), redactor), environ={})
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await settle(pilot)
            yield pilot, gateway


async def _typed(pilot: Pilot[int], field: str, text: str) -> None:
    pilot.app.screen.query_one(f"#{field}").focus()
    await press(pilot, *text)
    await press(pilot, "enter")


async def test_from_a_key_in_hand_to_the_first_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with at_home(home, {"MY_KEY": GOOD}) as (pilot, gateway):
        assert "set a client up" in text_of(pilot)
        await press(pilot, "n")
        shown = text_of(pilot)
        assert "TAOTOKEN_API_KEY is not set" in shown
        assert "read -rs TAOTOKEN_API_KEY && export TAOTOKEN_API_KEY" in shown

        await _typed(pilot, "server", f"{gateway.origin}/api/v1")
        await _typed(pilot, "variable", "MY_KEY")
        await _typed(pilot, "model", MODEL)
        assert "It is taken from MY_KEY" in text_of(pilot)
        labels = [label for _id, label in pilot.app.session.first_steps().clients]  # type: ignore[attr-defined]
        await press(pilot, *(["down"] * labels.index("Qwen Code")))
        assert "The settings of Qwen Code" in text_of(pilot)
        await press(pilot, "enter")

        shown = text_of(pilot)
        assert "KVD411" in shown
        await press(pilot, "a", "enter")
        shown = text_of(pilot)
        assert "Done" in shown
        assert GOOD not in pilot.app.export_screenshot()
    text = (home / ".qwen" / "settings.json").read_text()
    assert GOOD not in text
    (model,) = json.loads(text)["modelProviders"]["openai"]
    assert model["id"] == MODEL
    assert model["baseUrl"] == f"{gateway.origin}/api/v1"


async def test_what_was_typed_wrongly_goes_nowhere(opens: Opens) -> None:
    session = ScriptedSession([])
    app = opens(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "n")
        await _typed(pilot, "server", "taotoken.net")
        assert "An address begins with" in text_of(pilot)
        await press(pilot, "enter")
        assert session.aims == []

        pilot.app.screen.query_one("#server").focus()
        await press(pilot, *["backspace"] * len("taotoken.net"))
        await _typed(pilot, "variable", "sk-made-up")
        assert "A key itself is never typed in" in text_of(pilot)
        await press(pilot, "enter")
        assert session.aims == []


async def test_the_usual_gateway_needs_nothing_typed(opens: Opens) -> None:
    session = ScriptedSession([])
    app = opens(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "n", "enter")
        assert session.aims == [Aim(session.first_steps().clients[0][0])]

        await press(pilot, "n", "escape")
        assert len(session.aims) == 1


async def test_a_key_that_is_there_is_told_and_masked(opens: Opens) -> None:
    app = opens(ScriptedSession([]))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.push_screen(FirstRunScreen(first_steps({"TAOTOKEN_API_KEY": GOOD})))
        await settle(pilot)
        assert "✓ TAOTOKEN_API_KEY holds sk-…0000 (51 characters)" in text_of(pilot)
        assert GOOD not in app.export_screenshot()


async def test_whoever_may_not_write_is_not_led_there(
    opens: Opens, broken: ScriptedSession
) -> None:
    app = opens(broken, fixes=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = text_of(pilot)
        await press(pilot, "n")
        assert text_of(pilot) == before


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_it_looks_as_it_was_found_good(
    size: tuple[int, int], theme: str, opens: Opens, same_picture: Callable[[str, str], None]
) -> None:
    app = opens(ScriptedSession([]), f"kvdoctor-{theme}")

    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        nothing = app.export_screenshot()
        await press(pilot, "n")
        picture = app.export_screenshot()

    same_picture(nothing, f"nothing-{size[0]}x{size[1]}-{theme}")
    same_picture(picture, f"first-run-{size[0]}x{size[1]}-{theme}")
