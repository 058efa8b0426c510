"""The bench screens against an engine on loopback."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from doctor.cli import build_parser
from doctor.commands.check import target_request
from doctor.commands.tui import journal_of
from doctor.demo.http import LoopbackServer
from doctor.secrets import Redactor
from doctor.settings.discover import discover
from doctor.text import Translator
from doctor.tui.app import DoctorApp
from doctor.tui.bench_form import form_of, initial
from doctor.tui.live import LiveSession
from doctor.tui.screens.bench import BenchScreen
from doctor.tui.screens.bench_run import BenchRunScreen
from doctor.tui.speech import Speech
from tests.benchcmd.engine import KEY, SlottedEngine
from tests.kit import environment
from tests.tui.steps import press, settle, text_of, until
from tests.tui.test_live import options

SIZE = (120, 40)


@asynccontextmanager
async def opened(home: Path, engine: SlottedEngine, *arguments: str) -> AsyncIterator[Pilot[int]]:
    """The form for ``engine``. ``arguments`` are those of the app."""
    async with LoopbackServer(engine) as server:
        variables = {"OPENAI_BASE_URL": f"{server.origin}/v1", "OPENAI_API_KEY": KEY}
        world = environment(variables, home=str(home), cwd=str(home))
        redactor = Redactor()
        session = LiveSession(options(*arguments), world, redactor, journal_of(world))
        app = DoctorApp(session, Speech(Translator("en"), redactor), environ={})
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            await until(pilot, lambda: app.state.view.report is not None)
            await settle(pilot)
            engine.asked.clear()
            engine.begun.clear()
            await pilot.press("b")
            await until(pilot, lambda: isinstance(app.screen, BenchScreen))
            await settle(pilot)
            yield pilot


async def typed(pilot: Pilot[int], **fields: str) -> None:
    for name, text in fields.items():
        pilot.app.screen.query_one(f"#{name.replace('_', '-')}").focus()
        await pilot.press("ctrl+u", *text)
    await settle(pilot)


def shows(pilot: Pilot[int], words: str) -> Callable[[], bool]:
    return lambda: words in text_of(pilot)


async def test_a_sweep_from_the_fields_to_a_kept_run(tmp_path: Path) -> None:
    engine = SlottedEngine(slots=2, each=0.03)
    async with opened(tmp_path, engine) as pilot:
        await typed(pilot, up_to="8", requests="16", prompt_tokens="20", output_tokens="12")
        assert engine.asked == []
        await press(pilot, "y")
        load = "--up-to 8 --requests 16 --prompt-tokens 20 --output-tokens 12"
        assert pilot.app.clipboard == f"kvdoctor bench openai-sdk {load}"
        await pilot.press("enter")
        await until(pilot, shows(pilot, "Knee  "))
        await settle(pilot)
        shown = text_of(pilot)
        assert "likely --max-num-seqs: never more than 2 run at once" in shown
        assert re.search(r"2 run  │ \d+ wait", shown)
        assert {len(body["messages"][0]["content"].split()) for body in engine.asked} >= {20}
        assert {body["max_tokens"] for body in engine.asked} == {2, 12}

        sent = len(engine.asked)
        await press(pilot, "s", *"first", "enter")
        assert "kept as first" in text_of(pilot)
        await press(pilot, "c", "enter")
        await until(pilot, shows(pilot, "Compared  "))
        shown = text_of(pilot)
        assert "Nothing that is known of how they were made has changed." in shown
        assert "+0.0%" in shown
        # Kept runs cost nothing.
        assert len(engine.asked) == sent
        assert KEY not in pilot.app.export_screenshot()
    (file,) = (tmp_path / ".local" / "state" / "kvdoctor" / "bench").glob("*.json")
    assert file.name == "first.json"
    assert KEY not in file.read_text()


class Tiring(SlottedEngine):
    """Answers ten requests, and no further one ever."""

    async def _events(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        if len(self.asked) > 10:
            await asyncio.Event().wait()
        async for event in super()._events(body):
            yield event


async def test_the_copied_command_leads_to_the_same_server(tmp_path: Path) -> None:
    engine = SlottedEngine()
    async with LoopbackServer(engine) as server:
        url = f"{server.origin}/v1"
        # Of these variables none says where the server is.
        world = environment({"BENCH_KEY": KEY}, home=str(tmp_path), cwd=str(tmp_path))
        redactor = Redactor()
        flags = (url, "--key-env", "BENCH_KEY", "--model", "shop-8b")
        session = LiveSession(options(*flags), world, redactor, journal_of(world))
        (target,) = (await session.prepare()).targets
        whom = await session.benching(target.id).whom()

    command = form_of(initial()).command(whom.words)
    assert command == f"kvdoctor bench {url} --model shop-8b --key-env BENCH_KEY"
    given = build_parser("bench").parse_args(command.split()[1:])
    (found,) = discover(target_request(given), world).targets
    assert (found.connection.base_url.value, found.connection.key) == (
        url,
        target.connection.key,
    )


async def test_stopped_in_the_middle_what_was_measured_is_kept(tmp_path: Path) -> None:
    # Two requests to learn the length of a token, two to warm up, six of the first load.
    engine = Tiring()
    async with opened(tmp_path, engine) as pilot:
        await typed(pilot, concurrency="1,3", repeats="1", requests="6", output_tokens="4")
        await pilot.press("enter")
        await until(pilot, lambda: engine.running == 3)
        await until(pilot, shows(pilot, "load 3: 0 of 6"))
        await pilot.press("escape", "escape")
        await until(pilot, shows(pilot, "the run was stopped before its end"))
        await settle(pilot)
        assert "Measured  " in text_of(pilot)
        await press(pilot, "s", *"half", "enter")
        assert "kept as half" in text_of(pilot)


async def test_left_before_the_first_load_nothing_goes_on(tmp_path: Path) -> None:
    engine = SlottedEngine()
    async with opened(tmp_path, engine) as pilot:
        engine.each = 60.0
        await pilot.press("enter")
        await until(pilot, lambda: engine.running == 1)
        assert "Asking" in text_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BenchScreen))
        await settle(pilot)
        assert len(engine.asked) == 1


async def test_the_end_of_the_app_is_the_end_of_the_load(tmp_path: Path) -> None:
    engine = SlottedEngine(each=0.05)
    async with opened(tmp_path, engine) as pilot:
        await typed(pilot, concurrency="2", requests="500", output_tokens="4")
        await pilot.press("enter")
        await until(pilot, shows(pilot, "Measuring"))
        await pilot.press("q")
        await until(pilot, lambda: not pilot.app.is_running)
    assert engine.running == 0


async def test_a_server_that_answers_nothing_is_told_of(tmp_path: Path) -> None:
    engine = SlottedEngine()
    async with opened(tmp_path, engine) as pilot:
        engine.fails = 500
        await pilot.press("enter")
        await until(pilot, shows(pilot, "Not measured"))
        assert "does not answer: 500: out of order" in text_of(pilot)


@pytest.mark.parametrize("flag", ["--no-spend", "--offline"])
async def test_what_may_spend_nothing_puts_no_load_on(tmp_path: Path, flag: str) -> None:
    engine = SlottedEngine()
    async with opened(tmp_path, engine, flag) as pilot:
        assert "not with --no-spend" in text_of(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, BenchScreen)
        assert not isinstance(pilot.app.screen, BenchRunScreen)
        assert engine.asked == []
