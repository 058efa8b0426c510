"""The live engine in the app: how it looks, and what its keys do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from doctor.enginemetrics.sample import Gap, Sample
from doctor.tui.app import DoctorApp
from doctor.tui.charts import drawings
from doctor.tui.screens.diagnose import DiagnoseScreen
from doctor.tui.screens.engine import EngineScreen
from doctor.tui.widgets.chart import Bound, Drawing, columns
from tests.tui import engines, samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import settle, text_of, until

History = tuple[Sample | Gap, ...]


def session(*history: Sample | Gap, product: str = "vllm", no_engine: str = "") -> ScriptedSession:
    """A healthy target; whoever watches its engine sees ``history``, and then no more."""
    report = dataclasses.replace(samples.healthy_report(), product=product)
    made = ScriptedSession(samples.events_of(report), targets=(samples.target(),))
    made.samples = history
    made.no_engine = no_engine
    return made


def seen(app: DoctorApp, of: ScriptedSession) -> Callable[[], bool]:
    """Whether every sample of the last watch is on the screen."""

    def check() -> bool:
        screen = app.screen
        return (
            bool(of.watched)
            and isinstance(screen, EngineScreen)
            and len(screen._history) >= len(of.samples)
        )

    return check


SIZES = ((80, 24), (120, 40))
STATES: dict[str, History] = {"filling": engines.filling(), "at-ease": engines.at_ease()}


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_live_engine(
    size: tuple[int, int],
    state: str,
    theme: str,
    opens: Opens,
    same_picture: Callable[[str, str], None],
) -> None:
    world = session(*STATES[state])
    app = opens(world, f"kvdoctor-{theme}", watches=2.0)

    async with app.run_test(size=size) as pilot:
        await until(pilot, seen(app, world))
        picture = app.export_screenshot()

    same_picture(picture, f"engine-{state}-{size[0]}x{size[1]}-{theme}")


async def test_from_the_diagnosis_to_its_engine_and_back(opens: Opens) -> None:
    world = session(*engines.at_ease())
    app = opens(world)

    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "l live engine" in text_of(pilot)
        await pilot.press("l")
        await until(pilot, seen(app, world))
        assert world.watched == [(samples.NAME, 2.0)]
        assert "nobody waits" in text_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, DiagnoseScreen))


async def test_a_gateway_has_no_key_for_it(opens: Opens) -> None:
    app = opens(session(product="new-api"))

    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "live engine" not in text_of(pilot)


async def test_watching_runs_no_check(opens: Opens) -> None:
    world = session(*engines.at_ease())
    app = opens(world, watches=2.0)

    async with app.run_test() as pilot:
        await until(pilot, seen(app, world))
        assert world.scopes == []


async def test_how_often_it_looks_is_the_users_choice(opens: Opens) -> None:
    world = session(*engines.at_ease(3))
    app = opens(world, watches=2.0)

    async with app.run_test() as pilot:
        await until(pilot, seen(app, world))
        await pilot.press("plus")
        await until(pilot, lambda: len(world.watched) == 2)
        await pilot.press("minus", "minus", "minus", "minus")
        await until(pilot, lambda: world.watched[-1][1] == 0.5)
        assert "every 0.5 s" in text_of(pilot)
        # There is an end to it.
        assert [interval for _target, interval in world.watched] == [2.0, 4.0, 2.0, 1.0, 0.5]


async def test_where_there_is_no_engine_the_reason_is_told(opens: Opens) -> None:
    world = session(no_engine="http://127.0.0.1:8000/metrics answers 404")
    app = opens(world, watches=2.0)

    async with app.run_test() as pilot:
        await until(pilot, lambda: "answers 404" in text_of(pilot))
        assert "No metrics" in text_of(pilot)


async def test_a_look_that_fails_is_told_and_the_next_one_comes(opens: Opens) -> None:
    gap = Gap(engines.START, "connection refused \x1b[31m[red]")
    world = session(*engines.at_ease(3), gap)
    app = opens(world, watches=2.0)

    async with app.run_test() as pilot:
        await until(pilot, seen(app, world))
        shown = text_of(pilot)
        assert "No answer  connection refused <U+001B>[31m[red]" in shown


# ------------------------------------------------------------------ the drawing


def plain(drawing: Drawing, width: int, height: int) -> list[str]:
    return [line.plain for line in columns(drawing, width, height)]


def test_columns_are_drawn_in_eighths_newest_last() -> None:
    drawing = Drawing("t", "v", "", "$accent", (0.0, 0.25, None, 0.5, 1.0))
    assert plain(drawing, 13, 2) == [
        "      █      ",
        "   ▄ ██      ",
    ]


def test_the_smallest_value_is_seen() -> None:
    assert plain(Drawing("t", "v", "", "$accent", (0.001,)), 7, 1) == ["▁      "]


def test_bounds_go_across_where_nothing_stands() -> None:
    bounds = (Bound(0.9, "90%"), Bound(0.7, "70%"))
    drawing = Drawing("t", "v", "", "$accent", (None, 1.0, 0.0), bounds=bounds)
    assert plain(drawing, 9, 4) == [
        "┈█┈ 90%  ",
        "┈█┈ 70%  ",
        " █       ",
        " █       ",
    ]


def test_two_bounds_on_one_line_are_told_by_the_first() -> None:
    bounds = (Bound(0.9, "90%"), Bound(0.7, "70%"))
    drawing = Drawing("t", "v", "", "$accent", (), bounds=bounds)
    assert [line.strip(" ┈") for line in plain(drawing, 20, 2)] == ["90%", ""]


def test_a_state_has_a_word_and_not_only_a_colour() -> None:
    def note(usage: float, waiting: float = 0) -> str:
        sample = Sample(0.0, kv_usage=usage, waiting=waiting, engines=1)
        return drawings([sample], str)["kv"].note

    assert note(0.95, 3) == "full"
    assert note(0.95) == "above the band"
    assert note(0.8) == "in the band"
    assert note(0.1) == ""


def test_an_engine_that_does_not_tell_is_not_empty() -> None:
    drawn = drawings([Sample(0.0, engines=1)], str)
    assert (drawn["kv"].value, drawn["kv"].note) == ("–", "not exposed")
    assert drawn["requests"].value == "– running"
