"""Fixes: the diff, the question, the verdict, the way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

SIZE = (120, 40)
ALL = ("KVD301:proxy", "KVD102:key", "KVD201:base_url")


@asynccontextmanager
async def asked_without_diff(opens: Opens, session: ScriptedSession) -> AsyncIterator[Pilot[int]]:
    """The question is on the screen, and the diff is held back."""
    session.previews.clear()
    async with opens(session).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "Write these changes?" in text_of(pilot))
        yield pilot


async def test_two_keys_lead_from_the_diagnosis_to_a_verified_fix(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "enter")

        assert broken.applied == [ALL]
        assert "The same request now answers 200 in 401 ms." in text_of(pilot)
        assert "[u] undo" in text_of(pilot)


async def test_the_diff_is_shown_before_anything_is_written(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a")

        shown = text_of(pilot)
        assert "-export HTTPS_PROXY=http://127.0.0.1:7890" in shown
        assert '+export OPENAI_API_KEY="sk-…0up0"' in shown
        assert not broken.applied


async def test_enter_before_the_diff_is_there_writes_once_it_is(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with asked_without_diff(opens, broken) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert not broken.applied

        broken.previews.set()
        await until(pilot, lambda: "The same request now answers 200" in text_of(pilot))
        assert broken.previewed == broken.applied == [ALL]


async def test_enter_and_a_second_thought_write_nothing(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with asked_without_diff(opens, broken) as pilot:
        await pilot.press("enter", "down", "space")
        broken.previews.set()
        await settle(pilot)
        assert not broken.applied

        await press(pilot, "enter")
        assert broken.applied == [("KVD301:proxy", "KVD201:base_url")]


async def test_what_cannot_be_written_is_said_and_the_question_stays(
    opens: Opens, broken: ScriptedSession
) -> None:
    broken.unwritable = "~/.zshrc: line 3 is not understood"
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "enter")

        assert "line 3 is not understood" in text_of(pilot)
        assert "Write these changes?" in text_of(pilot)
        assert not broken.applied


async def test_a_change_can_be_left_out(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "down", "space")
        assert "OPENAI_API_KEY" not in text_of(pilot)

        await press(pilot, "enter")
        assert broken.applied == [("KVD301:proxy", "KVD201:base_url")]


async def test_with_nothing_ticked_nothing_is_written(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "A", "space", "enter")

        assert "Nothing is ticked." in text_of(pilot)
        await press(pilot, "escape")
        assert not broken.applied


async def test_escape_writes_nothing(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "escape")

        assert not broken.applied
        assert "three changes, proved" in text_of(pilot)


async def test_shift_a_applies_the_selected_finding_alone(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "2", "A", "enter")

        assert broken.applied == [("KVD102:key",)]


async def test_the_diff_alone_cannot_be_applied(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "d", "enter")

        assert not broken.applied
        assert "three changes, proved" in text_of(pilot)


async def test_a_fix_that_does_not_help_is_said_not_to(opens: Opens) -> None:
    session = ScriptedSession(
        samples.events_of(samples.broken_report()), targets=(samples.target(),)
    )
    async with opens(session).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "enter")

        assert "The same request still fails: connection refused." in text_of(pilot)
        assert "[u] undo" in text_of(pilot)


async def test_undo_shows_what_comes_back_and_puts_it_back(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "enter", "u")
        assert "-export A=1" in text_of(pilot)
        assert broken.taken_back == []

        await press(pilot, "enter")
        assert broken.taken_back == [("~/.zshrc", ".env")]
        assert "three changes, proved" in text_of(pilot)


async def test_undo_can_be_called_off(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "a", "enter", "u", "escape")

        assert broken.taken_back == []


async def test_without_permission_nothing_is_offered_or_written(
    opens: Opens, broken: ScriptedSession
) -> None:
    """In a browser."""
    async with opens(broken, fixes=False).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        assert "apply" not in text_of(pilot)

        await press(pilot, "a", "A", "d", "u", "i")
        assert not broken.applied
        assert "No file is written from the browser." in text_of(pilot)


async def test_nothing_is_applied_while_a_run_goes_on(opens: Opens) -> None:
    session = ScriptedSession(samples.running_events(), targets=(samples.target(),), hang=True)
    async with opens(session).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: session.played)
        await pilot.press("a")
        await pilot.pause()

        assert "The run is not over" in text_of(pilot)
        assert not session.applied
