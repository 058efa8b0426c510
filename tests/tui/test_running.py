"""Runs: started by themselves, again by a key, of one check, stopped, cancelled by leaving."""

from __future__ import annotations

from dataclasses import replace

from doctor import events as e
from doctor.tui.session import Scope
from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

SIZE = (120, 40)


def hanging() -> ScriptedSession:
    return ScriptedSession(samples.running_events(), targets=(samples.target(),), hang=True)


async def test_all_checks_run_by_themselves_and_the_sdk_is_imported_afterwards(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)

        assert broken.scopes == [Scope()]
        assert broken.warmed
        assert "43 checks · 640 ms" in text_of(pilot)


async def test_the_check_that_is_waited_for_is_named(opens: Opens) -> None:
    session = hanging()
    app = opens(session)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: session.played)
        app.draw_now()
        await pilot.pause()

        assert "34 of 43 checks · KVD301 proxy-unreachable" in text_of(pilot)


async def test_r_runs_everything_again(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "r")

        assert broken.scopes == [Scope(), Scope()]


async def test_shift_r_runs_the_check_of_the_selected_finding(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "2", "R")

        assert broken.scopes[-1] == Scope((samples.NAME,), ("KVD102",))


async def test_escape_stops_a_run_and_what_was_seen_stays(opens: Opens) -> None:
    session = hanging()
    async with opens(session).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: session.played)
        await press(pilot, "escape")

        assert session.cancelled
        assert "The key ends in a line break" in text_of(pilot)
        assert "esc stop" not in text_of(pilot)


async def test_leaving_cancels_the_run(opens: Opens) -> None:
    session = hanging()
    async with opens(session).run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: session.played)
        await pilot.press("q")

    assert session.cancelled


async def test_a_configuration_that_makes_no_sense_is_told_and_can_be_tried_again(
    opens: Opens, broken: ScriptedSession
) -> None:
    broken.trouble = "kvdoctor.toml:3: unknown key 'modle'; the nearest is 'model'"
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        assert "kvdoctor.toml:3: unknown key 'modle'" in text_of(pilot)

        broken.trouble = ""
        await press(pilot, "r")
        assert "three changes, proved" in text_of(pilot)


async def test_with_nothing_to_examine_the_screen_says_what_can_be_done(opens: Opens) -> None:
    async with opens(ScriptedSession(())).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)

        shown = text_of(pilot)
        assert "No base URL, key or kvdoctor.toml was found." in shown
        assert "kvdoctor demo --tui" in shown


async def test_findings_that_stream_in_do_not_move_the_finding_that_is_looked_at(
    opens: Opens,
) -> None:
    """The proxy comes last and sorts first; the cursor stays on the key."""
    report = samples.broken_report()
    late = next(result for result in report.checks if result.code == "KVD301")
    session = hanging()
    app = opens(session)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: session.played)
        app.draw_now()
        await pilot.press("down")
        app.state.view.apply(e.CheckFinished(samples.NAME, late))
        app.draw_now()
        await pilot.pause()

        assert "The base URL lacks /v1" in text_of(pilot).split("│")[1]
        app.state.view.apply(e.CheckFinished(samples.NAME, replace(late, findings=())))
