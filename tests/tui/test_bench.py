"""The bench screens on benchmarks that were written down: what is typed, asked, shown and kept."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot
from textual.screen import Screen

from doctor.bench.gpus import GpuUse
from doctor.bench.scenario import Load
from doctor.columns import columns
from doctor.tui.bench_form import FIELDS, form_of, initial
from doctor.tui.benching import Whom
from doctor.tui.screens.bench import BenchScreen
from doctor.tui.screens.bench_kept import BenchKeptScreen
from doctor.tui.screens.bench_run import BenchRunScreen
from doctor.tui.screens.bench_spend import BenchSpendScreen
from doctor.tui.screens.diagnose import DiagnoseScreen
from doctor.tui.widgets.level_table import Head, LevelRow, LevelRows
from doctor.tui.widgets.load_chart import Bar, LoadDrawing, lines_of
from tests.benchcmd.runs import level, repeat
from tests.tui import benches, samples
from tests.tui.benches import ScriptedBench
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

SIZES = ((60, 20), (80, 24), (120, 40))
KEPT = (
    ("before", benches.sweep(slow=1.4, started="2026-11-28T10:00:00")),
    ("gateway", benches.single()),
)


@asynccontextmanager
async def opened(
    opens: Opens,
    bench: ScriptedBench,
    theme: str = "dark",
    size: tuple[int, int] = (120, 40),
    **more: object,
) -> AsyncIterator[Pilot[int]]:
    """The form, with the target looked up."""
    session = ScriptedSession(
        samples.events_of(samples.healthy_report()), targets=(samples.target(),)
    )
    session.bench = bench
    app = opens(session, f"kvdoctor-{theme}", **more)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await until(pilot, on(pilot, BenchScreen))
        yield pilot


def on(pilot: Pilot[int], screen: type[Screen[Any]]) -> Callable[[], bool]:
    return lambda: isinstance(pilot.app.screen, screen)


async def drawn(pilot: Pilot[int]) -> None:
    """Everything that was heard is on the screen."""
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, BenchRunScreen)
    screen.draw()
    await pilot.pause()


async def run(pilot: Pilot[int]) -> None:
    """Start what stands in the form, and see what comes of it."""
    await pilot.press("enter")
    await until(pilot, on(pilot, BenchRunScreen))
    await drawn(pilot)


async def typed(pilot: Pilot[int], field: str, text: str) -> None:
    place = pilot.app.screen.query_one(f"#{field}")
    place.focus()
    await pilot.press("ctrl+u", *text)
    await settle(pilot)


# ------------------------------------------------------------------ before


async def test_it_is_reached_by_its_key_and_left_again(opens: Opens) -> None:
    async with opened(opens, ScriptedBench()) as pilot:
        shown = text_of(pilot)
        assert "up to 540 requests, about 207,360 tokens at most" in shown
        assert "1, 2, 4, 8, 16, 32, 64" in shown
        assert benches.URL in shown
        assert "kvdoctor bench shop-api" in shown
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, DiagnoseScreen)
        assert "b bench" in text_of(pilot)


async def test_what_is_typed_is_what_is_sent(opens: Opens) -> None:
    bench = ScriptedBench([benches.single()])
    async with opened(opens, bench) as pilot:
        await typed(pilot, "concurrency", "2, 8")
        await typed(pilot, "requests", "50")
        await typed(pilot, "shared", "0.5")
        await typed(pilot, "model", "qwen3-32b")
        assert "up to 100 requests, about 38,400 tokens at most" in text_of(pilot)
        await press(pilot, "down", "y")
        command = "kvdoctor bench shop-api --concurrency 2,8 --requests 50 --shared 0.5"
        assert pilot.app.clipboard == f"{command} --model qwen3-32b"
        assert bench.wanted == []
        await run(pilot)
    (wanted,) = bench.wanted
    assert wanted.scenario.loads == (Load(2), Load(8))
    assert (wanted.scenario.requests, wanted.scenario.shared) == (50, 0.5)
    assert not wanted.scenario.sweep
    assert wanted.model == "qwen3-32b"


WRONG = [
    ("up-to", "0", "at least 1"),
    ("up-to", "", "a number is needed here"),
    ("concurrency", "4,,8", "a whole number"),
    ("rate", "0", "more than 0"),
    ("seconds", "4000", "more than 0"),
    ("shared", "2", "from 0 to 1"),
    ("prompt-tokens", "", "a number is needed here"),
]


@pytest.mark.parametrize(("field", "text", "words"), WRONG)
async def test_what_makes_no_sense_is_told_at_its_field_and_goes_nowhere(
    opens: Opens, field: str, text: str, words: str
) -> None:
    bench = ScriptedBench([benches.single()])
    async with opened(opens, bench) as pilot:
        await typed(pilot, field, text)
        label = next(str(each.label) for each in FIELDS if each.name == field)
        line = next(line for line in text_of(pilot).splitlines() if f"▌{label}" in line)
        assert f"✗ {words}" in line
        assert "Not so" in text_of(pilot)
        assert "Enter" not in text_of(pilot).splitlines()[-1]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, BenchScreen)
    assert bench.wanted == []


async def test_a_closed_loop_or_an_open_one(opens: Opens) -> None:
    async with opened(opens, ScriptedBench()) as pilot:
        await typed(pilot, "concurrency", "2")
        await typed(pilot, "rate", "2")
        assert "✗ a closed loop or an open one" in text_of(pilot)
        await typed(pilot, "concurrency", "")
        assert "✗" not in text_of(pilot)
        assert "2/s begin" in text_of(pilot)


async def test_letters_are_keys_but_in_the_field_of_the_model(opens: Opens) -> None:
    async with opened(opens, ScriptedBench()) as pilot:
        await press(pilot, "up", *"qky?")
        assert isinstance(pilot.app.screen, BenchScreen)
        assert "qky?" in text_of(pilot)
        await press(pilot, "down", "k")
        await until(pilot, on(pilot, BenchKeptScreen))
        assert "None is kept yet" in text_of(pilot)


@pytest.mark.parametrize(("answer", "sent"), [("y", 1), ("escape", 0), ("n", 0), ("enter", 0)])
async def test_a_hosted_server_is_asked_for_before_it_spends(
    opens: Opens, answer: str, sent: int
) -> None:
    bench = ScriptedBench([benches.single()], hosted=True)
    async with opened(opens, bench) as pilot:
        assert "Not on the own network" in text_of(pilot)
        await pilot.press("enter")
        await until(pilot, on(pilot, BenchSpendScreen))
        assert "up to 540 requests to https://gateway.example" in text_of(pilot)
        assert bench.wanted == []
        await pilot.press(answer)
        await pilot.pause()
        if answer == "enter":
            assert isinstance(pilot.app.screen, BenchSpendScreen)
        else:
            wanted = BenchRunScreen if sent else BenchScreen
            await until(pilot, on(pilot, wanted))
    assert len(bench.wanted) == sent


async def test_once_more_is_asked_for_once_more(opens: Opens) -> None:
    bench = ScriptedBench([benches.single()], hosted=True)
    async with opened(opens, bench) as pilot:
        await pilot.press("enter")
        await until(pilot, on(pilot, BenchSpendScreen))
        await pilot.press("y")
        await until(pilot, on(pilot, BenchRunScreen))
        await press(pilot, "r")
        assert isinstance(pilot.app.screen, BenchSpendScreen)
        await press(pilot, "escape")
        assert len(bench.wanted) == 1
        await press(pilot, "r", "y")
    assert len(bench.wanted) == 2


async def test_what_goes_on_does_not_begin_again(opens: Opens) -> None:
    bench = ScriptedBench(benches.half()[:5])
    async with opened(opens, bench) as pilot:
        await run(pilot)
        await pilot.press("r")
        await drawn(pilot)
    assert len(bench.wanted) == 1


async def test_where_nothing_may_be_spent_nothing_can_be_sent(opens: Opens) -> None:
    refused = Whom("gateway", benches.URL, refused="not with --no-spend")
    bench = ScriptedBench([benches.single()], whom=refused)
    async with opened(opens, bench) as pilot:
        assert "Cannot run  not with --no-spend" in text_of(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, BenchScreen)
    assert bench.wanted == []


@given(st.dictionaries(st.sampled_from([field.name for field in FIELDS]), st.text(max_size=12)))
def test_every_text_is_a_scenario_or_wrong(texts: dict[str, str]) -> None:
    form = form_of(initial() | texts)
    assert (form.scenario is None) == bool(form.wrong)
    assert set(form.wrong) <= {field.name for field in FIELDS}
    assert form.command(("shop-api",)).startswith("kvdoctor bench shop-api")


# ------------------------------------------------------------------ while it runs, and after


async def test_a_load_under_way_is_seen_beside_those_that_are_over(opens: Opens) -> None:
    async with opened(opens, ScriptedBench(benches.half())) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "Measuring  load 32: 85 of 128 requests" in shown
        assert "5 loads measured" in shown
        assert "616 tokens/s at 32" in shown
        assert "16 run  │ 15 wait · KV 64%" in shown
        # Its name says that it is not over yet.
        assert "32…" in shown


async def test_what_is_heard_between_loads_is_drawn_by_itself(opens: Opens) -> None:
    async with opened(opens, ScriptedBench(benches.half())) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "85 of 128 requests" in text_of(pilot))


async def test_the_knee_and_its_limit_are_told_in_words(opens: Opens) -> None:
    async with opened(opens, ScriptedBench([benches.sweep(failing=True)])) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "The knee is at 16" in shown
        assert "likely --max-num-seqs" in shown
        assert "64: failed: timeout 6, http-502 1." in shown
        # The knee and the failures have signs, not only colours.
        row = next(line for line in shown.splitlines() if " 64  " in line and "✗" in line)
        assert " 7 " in row
        assert "◆16" in shown
        await press(pilot, "end", "enter")
        assert "p50 4.4 s (" in text_of(pilot)
        assert "7: timeout 6, http-502 1" in text_of(pilot)


async def test_gpus_have_a_column_where_they_were_looked_at(opens: Opens) -> None:
    use = GpuUse(0, 8, used=71 * 2**30, total=80 * 2**30, busy=0.93, power=0.25, heat=0.0)
    loads = (level(1, repeat(50.0)), level(8, repeat(300.0, gpus=(use,))))
    made = dataclasses.replace(benches.sweep(), levels=loads)
    async with opened(opens, ScriptedBench([made])) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "GPU memory" in shown
        assert "71.0 GiB" in shown
        await press(pilot, "end", "enter")
        shown = text_of(pilot)
        assert "71.0 GiB of 80.0 GiB held at most, busy 93%" in shown


async def test_one_load_has_no_knee(opens: Opens) -> None:
    async with opened(opens, ScriptedBench([benches.single()])) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "Measured  80.3 output tokens/s at 4" in shown
        assert "knee" not in shown.lower()
        assert "no metrics" in shown


async def test_where_nothing_is_answered_that_is_told(opens: Opens) -> None:
    async with opened(opens, ScriptedBench([benches.unanswered()])) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "No answer  no request was answered: timeout" in shown
        assert " s save" not in shown


async def test_why_nothing_was_measured(opens: Opens) -> None:
    bench = ScriptedBench([], trouble="it does not answer: 500: out of order \x1b[31m[red]")
    async with opened(opens, bench) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "Not measured  it does not answer: 500: out of order <U+001B>[31m[red]" in shown
        assert "\x1b" not in shown
        await press(pilot, "r")
        assert len(bench.wanted) == 2
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BenchScreen)


async def test_the_first_escape_stops_and_the_second_cuts(opens: Opens) -> None:
    bench = ScriptedBench(benches.half())
    async with opened(opens, bench) as pilot:
        await run(pilot)
        assert "Esc stop" in text_of(pilot)
        (stop,) = bench.stops
        await pilot.press("escape")
        await drawn(pilot)
        assert (stop.asked, stop.cut) == (True, False)
        assert "Stopping" in text_of(pilot)
        await pilot.press("escape")
        await drawn(pilot)
        assert stop.cut
        assert isinstance(pilot.app.screen, BenchRunScreen)


async def test_before_the_first_load_there_is_nothing_to_keep(opens: Opens) -> None:
    bench = ScriptedBench()
    async with opened(opens, bench) as pilot:
        await run(pilot)
        assert "Asking" in text_of(pilot)
        await pilot.press("escape")
        await until(pilot, on(pilot, BenchScreen))
        await settle(pilot)


async def test_texts_of_the_server_are_harmless(opens: Opens) -> None:
    made = benches.single()
    strange = {**made.setup, "model": "[bold]m\x1b[31m\u202e", "server": "http://[b]x"}
    async with opened(opens, ScriptedBench([dataclasses.replace(made, setup=strange)])) as pilot:
        await run(pilot)
        shown = text_of(pilot)
        assert "[bold]m<U+001B>[31m<U+202E>" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


# ------------------------------------------------------------------ kept runs


async def test_a_run_is_kept_under_a_name_and_overwritten_on_purpose_only(opens: Opens) -> None:
    bench = ScriptedBench([benches.sweep()], kept=KEPT)
    async with opened(opens, bench) as pilot:
        await run(pilot)
        await press(pilot, "s", "enter")
        assert "A run needs a name" in text_of(pilot)
        await press(pilot, *"before", "enter")
        assert "before is kept already" in text_of(pilot)
        assert bench.runs["before"] == KEPT[0][1]
        await press(pilot, *"2", "enter")
        await until(pilot, on(pilot, BenchRunScreen))
        assert "kept as before2" in text_of(pilot)
        await press(pilot, "s", "enter", "enter")
        await until(pilot, on(pilot, BenchRunScreen))
    assert bench.runs["before2"] == benches.sweep()


async def test_who_may_write_nothing_keeps_nothing(opens: Opens) -> None:
    bench = ScriptedBench([benches.sweep()])
    async with opened(opens, bench, fixes=False) as pilot:
        await run(pilot)
        assert " s save" not in text_of(pilot)
        await press(pilot, "s")
        assert isinstance(pilot.app.screen, BenchRunScreen)


async def test_a_kept_run_is_opened_and_nobody_is_asked(opens: Opens) -> None:
    bench = ScriptedBench(kept=KEPT)
    async with opened(opens, bench) as pilot:
        await press(pilot, "k")
        shown = text_of(pilot)
        # The newest comes first.
        assert shown.index("gateway ") < shown.index("before ")
        await press(pilot, *"bef", "enter")
        await until(pilot, on(pilot, BenchRunScreen))
        shown = text_of(pilot)
        assert "kept as before" in shown
        assert "The knee is at 16" in shown
        assert " r again" not in shown
        await press(pilot, "r", "escape")
        assert isinstance(pilot.app.screen, BenchScreen)
    assert bench.wanted == []


async def test_a_run_is_held_against_a_kept_one(opens: Opens) -> None:
    bench = ScriptedBench([benches.sweep()], kept=KEPT)
    async with opened(opens, bench) as pilot:
        await run(pilot)
        await press(pilot, "c", *"before", "enter")
        await until(pilot, on(pilot, BenchRunScreen))
        shown = text_of(pilot)
        assert "Compared  better than before" in shown
        assert "vllm: 0.31.1 → 0.32.0" in shown
        assert "TTFT p50 at 1: 84 ms → 61 ms" in shown


async def test_figures_and_words_take_turns_where_there_is_no_room(opens: Opens) -> None:
    async with opened(opens, ScriptedBench([benches.sweep()]), size=(80, 24)) as pilot:
        await run(pilot)
        assert "The knee is at 16" not in text_of(pilot)
        assert "out tok/s" in text_of(pilot)
        await press(pilot, "v")
        assert "The knee is at 16" in text_of(pilot)
        assert "out tok/s" not in text_of(pilot)
        await press(pilot, "v")
        assert "out tok/s" in text_of(pilot)


# ------------------------------------------------------------------ the drawing


def plain(drawing: LoadDrawing, width: int, height: int) -> list[str]:
    return [line.plain.rstrip() for line in lines_of(drawing, width, height)]


def test_a_bar_and_its_whisker() -> None:
    bars = (Bar("1", 0.25, 1.0), Bar("16", 1.0, marked=True), Bar("64", 0.5, under_way=True))
    assert plain(LoadDrawing("Output", "9 t/s", "│ p90", bars, 1.0, "1k"), 21, 6) == [
        "Output  9 t/s  │ p90",
        "  │  ████       1k",
        "  │  ████",
        "  │  ████ ████",
        "████ ████ ████",
        "1    ◆16  64…",
    ]


def test_names_that_would_run_into_one_another_are_left_out() -> None:
    bars = tuple(Bar(f"{2**n}", 1.0, marked=n == 8) for n in range(11))
    names = plain(LoadDrawing("t", "v", "", bars), 6 + 33, 3)[-1]
    assert "◆256" in names
    assert set(names.split()) <= {"◆256", *(f"{2**n}" for n in range(11))}


def test_more_loads_than_columns_show_the_last_ones() -> None:
    bars = tuple(Bar(f"{n}", 1.0) for n in range(50))
    assert plain(LoadDrawing("t", "v", "", bars), 6 + 20, 3)[1] == "█" * 20


def test_columns_stay_under_their_names_in_wide_characters() -> None:
    painter = LevelRows()
    painter.heads = (Head("负载", 0), Head("输出 tok/s", 0), Head("首个 token", 1))
    row = LevelRow("1", ("1", "53.7", "61 毫秒"))
    painter.rows = (row,)
    for width in (20, 30, 60):
        [line] = painter.lines(row, width, True)
        head = painter.head(width)
        assert columns(head.plain) == columns(line.plain) <= width


# ------------------------------------------------------------------ pictures

HEARD: dict[str, ScriptedBench] = {
    "half": ScriptedBench(benches.half()),
    "sweep": ScriptedBench([benches.sweep(failing=True)]),
}


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("state", ["form", *HEARD])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_it_looks_as_it_was_found_good(
    size: tuple[int, int],
    state: str,
    theme: str,
    opens: Opens,
    same_picture: Callable[[str, str], None],
) -> None:
    bench = HEARD.get(state) or ScriptedBench(hosted=True)
    async with opened(opens, bench, theme, size) as pilot:
        if state == "form":
            await typed(pilot, "up-to", "0")
        else:
            await run(pilot)
        picture = pilot.app.export_screenshot()

    same_picture(picture, f"bench-{state}-{size[0]}x{size[1]}-{theme}")


@pytest.mark.parametrize("size", SIZES[1:], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_comparison_looks_as_it_was_found_good(
    size: tuple[int, int], opens: Opens, same_picture: Callable[[str, str], None]
) -> None:
    bench = ScriptedBench([benches.sweep()], kept=KEPT)
    async with opened(opens, bench, "light", size) as pilot:
        await run(pilot)
        await press(pilot, "c", *"before", "enter")
        await until(pilot, on(pilot, BenchRunScreen))
        await drawn(pilot)
        picture = pilot.app.export_screenshot()

    same_picture(picture, f"bench-compared-{size[0]}x{size[1]}-light")
