"""The app on real checks, real files and the demo's servers."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from doctor.commands.tui import journal_of
from doctor.demo import scenarios
from doctor.demo.stage import Stage, staged
from doctor.secrets import Redactor
from doctor.text import Translator
from doctor.tui.app import DoctorApp
from doctor.tui.live import LiveSession
from doctor.tui.speech import Speech
from tests.tui.steps import press, settle, text_of, until

SIZE = (120, 40)


def options(*arguments: str) -> argparse.Namespace:
    from doctor.cli import build_parser

    return build_parser().parse_args(["check", *arguments])


@asynccontextmanager
async def opened(name: str) -> AsyncIterator[tuple[Pilot[int], Stage]]:
    """The app on a scenario of the demo, when its first run is over."""
    async with staged(scenarios.find(name)) as stage:
        redactor = Redactor()
        session = LiveSession(
            options(*stage.arguments), stage.environment, redactor, journal_of(stage.environment)
        )
        app = DoctorApp(session, Speech(Translator("en"), redactor), environ={})
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            await until(pilot, lambda: app.state.view.report is not None)
            await settle(pilot)
            yield pilot, stage


def files_of(stage: Stage) -> dict[str, bytes]:
    """Every file of the user, the journal aside."""
    home = Path(stage.environment.home)
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and ".local" not in path.parts
    }


async def test_the_triple_fault_is_mended_verified_and_taken_back() -> None:
    async with opened("triple-fault") as (pilot, stage):
        before = files_of(stage)
        assert "three changes, proved: connection refused → 200" in text_of(pilot)

        await press(pilot, "a", "enter")
        assert "The same request now answers 200" in text_of(pilot)
        assert files_of(stage) != before

        await press(pilot, "u", "enter")
        assert files_of(stage) == before
        assert "three changes, proved" in text_of(pilot)


async def test_what_is_left_out_is_not_written() -> None:
    async with opened("triple-fault") as (pilot, stage):
        before = files_of(stage)[".bashrc"]
        await press(pilot, "a", "space", "enter")

        after = files_of(stage)[".bashrc"]
        key_line = next(line for line in before.split(b"\n") if b"API_KEY" in line)
        assert key_line in after
        assert after != before
        assert "still fails" in text_of(pilot)


async def test_a_file_that_changes_while_its_diff_is_shown_is_not_written() -> None:
    async with opened("triple-fault") as (pilot, stage):
        await press(pilot, "a")
        path = Path(stage.environment.home) / ".bashrc"
        path.write_bytes(path.read_bytes() + b"# edited meanwhile\n")
        before = path.read_bytes()
        await press(pilot, "enter")

        assert path.read_bytes() == before
        assert "Nothing was written" in text_of(pilot)


async def test_a_healthy_setup_is_all_well() -> None:
    async with opened("healthy-gateway") as (pilot, _stage):
        shown = text_of(pilot)
        assert "All well" in shown
        assert "a made-up key is refused, this one is not" in shown
        assert "engine metrics" in shown
        assert "✗" not in shown


async def test_a_finding_is_left_out_through_kvdoctor_toml_and_taken_back() -> None:
    async with opened("triple-fault") as (pilot, stage):
        await press(pilot, "i", *"lab", "enter")
        path = Path(stage.environment.cwd) / "kvdoctor.toml"
        assert 'code = "KVD102"' in path.read_text()
        assert "1 ✗ The key ends in a line break" not in text_of(pilot)

        await press(pilot, "u", "enter")
        assert "[[ignore]]" not in path.read_text()
        assert "1 ✗ The key ends in a line break" in text_of(pilot)


async def test_the_key_is_on_no_screen() -> None:
    async with opened("triple-fault") as (pilot, stage):
        key = stage.setup.variables["OPENAI_API_KEY"].strip()
        for keys in ((), ("a",), ("escape", "s"), ("escape", "c"), ("escape", "v")):
            await press(pilot, *keys)
            assert key not in pilot.app.export_screenshot()


async def test_a_wrong_flag_is_told_and_ends_nothing(tmp_path: Path) -> None:
    from tests.kit import environment

    world = environment(home=str(tmp_path), cwd=str(tmp_path))
    session = LiveSession(options("no-such-target"), world, Redactor(), journal_of(world))
    app = DoctorApp(session, Speech(Translator("en"), session.redactor), environ={})
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: bool(app.state.trouble))
        await settle(pilot)

        assert "no target is called 'no-such-target'" in text_of(pilot)


async def test_the_engine_of_a_target_is_drawn_live() -> None:
    async with opened("kv-cache-full") as (pilot, stage):
        assert "The KV cache is full" in text_of(pilot)
        asked = len(stage.servers[0].requests)

        await pilot.press("l")
        await until(pilot, lambda: "Saturated" in text_of(pilot))
        assert "KV cache  98%  full" in text_of(pilot)
        assert {r.path for r in stage.servers[0].requests[asked:]} == {"/metrics"}

        await pilot.press("escape")
        await until(pilot, lambda: "The KV cache is full" in text_of(pilot))


async def test_a_gateway_says_that_it_has_no_engine() -> None:
    async with opened("healthy-gateway") as (pilot, _stage):
        await pilot.press("l")
        await until(pilot, lambda: "No metrics" in text_of(pilot))
