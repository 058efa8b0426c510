"""An error text leads to its causes, and from there to the check."""

from __future__ import annotations

from textual import events

from doctor.tui.screens.explain import PasteArea
from doctor.tui.session import Scope
from tests.kit import KEY
from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

SIZE = (120, 40)
TEXT = "httpx.LocalProtocolError: Illegal header value b'Bearer sk-made\\n'"


async def test_an_error_text_leads_to_the_finding(opens: Opens, broken: ScriptedSession) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.post_message(events.Paste(TEXT))
        await until(pilot, lambda: "KVD102" in text_of(pilot))
        assert "✓ found: key surrounded" in text_of(pilot)

        await press(pilot, "tab", "enter")
        assert "The key ends in a line break" in text_of(pilot).split("│")[1]


async def test_a_cause_that_was_not_found_is_checked(opens: Opens) -> None:
    session = ScriptedSession(
        samples.events_of(samples.healthy_report()), targets=(samples.target(),)
    )
    app = opens(session)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.post_message(events.Paste(TEXT))
        await until(pilot, lambda: "KVD102" in text_of(pilot))
        await press(pilot, "tab", "enter")

        assert session.scopes[-1] == Scope((samples.NAME,), ("KVD102",))
        assert "KVD102: passed." in text_of(pilot)


async def test_a_key_in_a_pasted_text_is_masked_at_once(
    opens: Opens, broken: ScriptedSession
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        area = app.screen.query_one(PasteArea)
        app.post_message(events.Paste(f"401 Incorrect API key provided: {KEY}"))
        await until(pilot, lambda: "KVD" in text_of(pilot))

        assert area.text == "401 Incorrect API key provided: sk-…0up0"
        assert KEY not in app.export_screenshot()


async def test_an_unknown_text_is_said_to_be_unknown(opens: Opens, broken: ScriptedSession) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.post_message(events.Paste("the moon is blue"))
        await until(pilot, lambda: "No text of this is known" in text_of(pilot))
