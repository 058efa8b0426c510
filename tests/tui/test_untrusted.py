"""Text of others is shown as it is: no markup, no escapes, no key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doctor.models import Evidence
from doctor.tui.app import DoctorApp
from tests.kit import KEY
from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

SIZE = (120, 40)
NASTY = "[red]x[/red] [@click=app.quit]y[/] \x1b[31mz\x1b[0m \u202e[/]"
SHOWN = "[red]x[/red] [@click=app.quit]y[/] <U+001B>[31mz<U+001B>[0m <U+202E>[/]"


@pytest.fixture
def nasty() -> ScriptedSession:
    """Everything that comes from outside holds markup, escapes and the key."""
    report = samples.broken_report()
    fault = replace(
        samples.KEY_FAULT,
        title=NASTY,
        explanation=f"{NASTY} {KEY}",
        evidence=(Evidence(NASTY, NASTY, f"{NASTY} {KEY}"),),
        fixes=tuple(
            replace(fix, title=NASTY, preview=f"+{NASTY} {KEY}") for fix in samples.KEY_FAULT.fixes
        ),
    )
    findings = tuple(fault if f.code == fault.code else f for f in report.findings)
    hop = replace(report.path[1], detail=f"{NASTY} {KEY}")
    report = replace(
        report,
        label=f"{NASTY} {KEY}",
        findings=findings,
        path=(report.path[0], hop, *report.path[2:]),
        not_tested=(f"{NASTY} {KEY}",),
    )
    session = ScriptedSession(samples.events_of(report), targets=(samples.target(),))
    session.redactor.learn(KEY)
    return session


async def _screens(app: DoctorApp, keys: tuple[str, ...]) -> tuple[str, str]:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        return text_of(pilot), app.export_screenshot()


@pytest.mark.parametrize(
    "keys",
    [("2",), ("a",), ("2", "c"), ("2", "i"), ("t",), ("s",), ("v",), ("end",)],
    ids=["detail", "confirm", "copy", "ignore", "targets", "settings", "checks", "summary"],
)
async def test_no_screen_obeys_it_and_none_shows_the_key(
    opens: Opens, nasty: ScriptedSession, keys: tuple[str, ...]
) -> None:
    shown, picture = await _screens(opens(nasty), keys)

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert KEY not in shown
    assert KEY not in picture


async def test_a_title_is_shown_to_the_letter(opens: Opens, nasty: ScriptedSession) -> None:
    shown, _picture = await _screens(opens(nasty), ("2",))

    assert SHOWN in shown


async def test_the_palette_shows_a_target_to_the_letter(
    opens: Opens, nasty: ScriptedSession
) -> None:
    app = opens(nasty)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"show")
        await until(pilot, lambda: "Show [red]x[/red]" in text_of(pilot))

        assert KEY not in app.export_screenshot()


async def test_a_notice_is_shown_to_the_letter(opens: Opens, nasty: ScriptedSession) -> None:
    app = opens(nasty)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        app.say(f"[red]x[/red] {KEY}")
        await pilot.pause()
        await pilot.pause()

        assert "[red]x[/red] sk-…" in text_of(pilot)
