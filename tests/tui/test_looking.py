"""Finding one's way: numbers, folds, hops, targets, checks, settings, help, the palette."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doctor import events as e
from doctor.models import Report, Spending
from doctor.tui.app import DoctorApp
from doctor.tui.screens.explain import PasteArea
from doctor.tui.session import Scope
from doctor.tui.widgets.key_bar import KeyBar
from doctor.tui.widgets.path_bar import PathBar
from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import choose, press, settle, text_of

SIZE = (120, 40)


def detail(text: str) -> str:
    """What stands right of the list."""
    return "\n".join(line.partition("│")[2] for line in text.splitlines())


async def test_the_first_finding_is_shown_with_what_was_seen_why_and_the_proof(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)

        shown = detail(text_of(pilot))
        assert "The proxy 127.0.0.1:7890 is not running" in shown
        assert "~/.zshrc:12" in shown
        assert "✓ proved: connection refused → 200 in 412 ms" in shown
        assert "-export HTTPS_PROXY=http://127.0.0.1:7890" in shown


async def test_a_number_goes_to_a_finding(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "3")

        assert "The base URL lacks /v1" in detail(text_of(pilot))


async def test_consequences_are_folded_and_can_be_unfolded(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        assert "4 consequences folded" in text_of(pilot)
        assert "NO_PROXY misses taotoken.net" not in text_of(pilot)

        await press(pilot, "space")
        assert "NO_PROXY misses taotoken.net" in text_of(pilot)

        await press(pilot, "left")
        assert "NO_PROXY misses taotoken.net" not in text_of(pilot)


async def test_the_line_of_folded_ones_tells_what_they_are(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "down")

        assert "NO_PROXY misses taotoken.net" in detail(text_of(pilot))


async def test_a_click_on_a_hop_goes_to_its_finding(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        line = text_of(pilot).splitlines()[2]
        await pilot.click(PathBar, offset=(line.index("proxy") + 1, 1))
        await settle(pilot)

        assert "The proxy 127.0.0.1:7890 is not running" in detail(text_of(pilot))


async def test_the_keys_below_can_be_clicked(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        line = text_of(pilot).splitlines()[-1]
        await pilot.click(KeyBar, offset=(line.index("settings") + 1, 0))
        await settle(pilot)

        assert "OPENAI_BASE_URL, ~/.zshrc:42" in text_of(pilot)


async def test_a_click_on_a_finding_selects_it(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        lines = text_of(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "3 ✗ The base URL" in line)
        await pilot.click(offset=(10, row))
        await settle(pilot)

        assert "The base URL lacks /v1" in detail(text_of(pilot))


async def test_what_was_and_was_not_tested_stands_at_the_end_of_the_list(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "end")

        shown = detail(text_of(pilot))
        assert "engine metrics (no vLLM address known)" in shown
        assert "KVD111" in shown
        assert "the server was not reached" in shown


async def test_why_shows_the_documentation(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "2", "w")

        assert "What it checks" in text_of(pilot)
        await press(pilot, "escape")
        assert "What it checks" not in text_of(pilot)


# ------------------------------------------------------------------ one pane at a time


async def test_a_narrow_screen_shows_one_pane_at_a_time(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=(60, 30)) as pilot:
        await settle(pilot)
        assert "2 ✗ The key ends in a line break" in text_of(pilot)
        assert "HTTPS_PROXY sends the request" not in text_of(pilot)

        await press(pilot, "enter")
        assert "2 ✗ The key ends in a line break" not in text_of(pilot)
        assert "HTTPS_PROXY sends the request" in text_of(pilot)

        await press(pilot, "escape")
        assert "2 ✗ The key ends in a line break" in text_of(pilot)


# ------------------------------------------------------------------ several targets


@pytest.fixture
def several() -> ScriptedSession:
    """A broken target and two that answer."""
    reports = (
        samples.broken_report(),
        replace(samples.healthy_report(), id="bench", label="bench: OpenAI SDK → vLLM"),
        replace(samples.healthy_report(), id="docs", label="docs: OpenAI SDK → LiteLLM"),
    )
    events: tuple[e.Event, ...] = (
        e.RunStarted(tuple(r.id for r in reports), 43),
        *(e.TargetFinished(report) for report in reversed(reports)),
        e.RunFinished(Report("2030-01-31T10:00:00+00:00", 640, reports, Spending())),
    )
    return ScriptedSession(events, targets=(samples.target(),))


async def test_the_worst_target_is_shown_first(opens: Opens, several: ScriptedSession) -> None:
    async with opens(several).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)

        assert "shop-api" in text_of(pilot).splitlines()[0]
        assert "1 of 3 targets" in text_of(pilot).splitlines()[0]


async def test_another_target_is_found_by_typing(opens: Opens, several: ScriptedSession) -> None:
    async with opens(several).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "t")
        assert "fails; a repair is proved" in text_of(pilot)

        await press(pilot, *"litellm", "enter")
        assert "docs: OpenAI SDK" in text_of(pilot).splitlines()[0]
        assert "All well" in text_of(pilot)


# ------------------------------------------------------------------ checks, settings, help


async def test_all_checks_are_listed_and_one_can_be_run(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "v", *"kvd111")
        assert "no evidence: the server was not reached" in text_of(pilot)

        await press(pilot, "ctrl+r")
        assert broken.scopes[-1] == Scope((samples.NAME,), ("KVD111",))

        await press(pilot, "ctrl+t")
        assert broken.scopes[-1] == Scope((samples.NAME,), ("credentials",))


async def test_from_the_list_of_checks_to_the_finding(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "v", *"201", "enter")

        assert "The base URL lacks /v1" in detail(text_of(pilot))


async def test_settings_tell_value_origin_shadows_and_what_was_verified(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "s")

        lines = text_of(pilot).splitlines()
        key = next(n for n, line in enumerate(lines) if line.strip().startswith("key"))
        assert "sk-…0up0⏎ (52 characters)" in lines[key]
        assert "OPENAI_API_KEY, ~/.zshrc:41" in lines[key]
        assert "✗ fails" in lines[key]
        assert "shadows" in lines[key + 1]
        assert "OPENAI_API_KEY, .env:3" in lines[key + 1]
        assert "proved" in lines[key + 2]
        assert "sk-…0up0 (51 characters)" in lines[key + 2]


async def test_help_names_the_keys(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark")

        assert "undo what was applied, byte for byte" in text_of(pilot)


async def test_all_well_is_calm_and_tells_what_was_not_tested(opens: Opens) -> None:
    session = ScriptedSession(
        samples.events_of(samples.healthy_report()), targets=(samples.target(),)
    )
    async with opens(session).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)

        shown = text_of(pilot)
        assert "Everything that was asked was answered." in shown
        assert "32,768 tokens; your max_tokens 4,096 leaves 28,672 for the prompt" in shown
        assert "engine metrics (no vLLM address known)" in shown
        assert "✗" not in shown


# ------------------------------------------------------------------ the palette


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("run all checks", Scope()),
        ("run the checks of network", Scope((samples.NAME,), ("network",))),
        ("run kvd113", Scope((samples.NAME,), ("KVD113",))),
    ],
)
async def test_the_palette_runs_what_is_asked_for(
    opens: Opens, broken: ScriptedSession, typed: str, scope: Scope
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await choose(pilot, typed)

        assert broken.scopes[-1] == scope
        assert len(broken.scopes) == 2


# ------------------------------------------------------------------ colours


@pytest.mark.parametrize(
    "theme", ["kvdoctor-dark", "kvdoctor-light", "terminal-dark", "terminal-light"]
)
async def test_every_theme_shows_every_state_in_words(
    opens: Opens, broken: ScriptedSession, theme: str
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.theme = theme
        await settle(pilot)

        shown = text_of(pilot)
        assert "✗ 2 faults" in shown
        assert "? not reached" in shown
        assert "✓ ok 14 ms" in shown
        assert set(app.available_themes) == {
            "kvdoctor-dark",
            "kvdoctor-light",
            "terminal-dark",
            "terminal-light",
        }


# ------------------------------------------------------------------ every screen


KEYS_OF_SCREENS = {"e": "clear", "v": "run this check"}


@pytest.mark.parametrize("key", KEYS_OF_SCREENS)
async def test_help_tells_the_keys_of_the_screen_first(
    opens: Opens, broken: ScriptedSession, key: str
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, key)
        assert isinstance(pilot.app, DoctorApp)
        pilot.app.action_help()
        await settle(pilot)
        shown = text_of(pilot)

        assert KEYS_OF_SCREENS[key] in shown.split("On the diagnosis")[0]
        assert "On this screen" in shown


async def test_the_palette_does_what_the_keys_of_a_screen_do(
    opens: Opens, broken: ScriptedSession
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.screen.query_one(PasteArea).text = "Connection error."
        await pilot.press("ctrl+p")
        await pilot.press(*"clear")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)

        assert app.screen.query_one(PasteArea).text == ""


@pytest.mark.parametrize("typed", ["run the check of the selected finding", "apply the selected"])
async def test_the_palette_knows_what_capital_letters_do(
    opens: Opens, broken: ScriptedSession, typed: str
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await choose(pilot, typed)

        if typed.startswith("run"):
            assert broken.scopes[-1].selectors == ("KVD301",)
        else:
            assert "KVD301" in text_of(pilot)
