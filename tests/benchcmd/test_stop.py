"""A run that is ended before its bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from doctor.bench.bodies import Prompts
from doctor.bench.progress import Event, Looked, Measured, Progress
from doctor.bench.running import Run, benched
from doctor.bench.scenario import Load, Scenario
from doctor.bench.side import Asked
from doctor.bench.stop import Stop
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
from doctor.context import Options
from doctor.demo.http import LoopbackServer
from doctor.facts.settings import Settings
from doctor.secrets import Redactor, Secret
from doctor.target import Target
from tests.benchcmd.engine import KEY, SlottedEngine
from tests.kit import environment

GIVEN = Origin(OriginKind.FLAG, "--base-url")
LOADS = (Load(1), Load(2), Load(4))


async def run(
    engine: SlottedEngine, tell: Callable[[Event], None], stop: Stop, *, repeats: int = 1
) -> Run:
    """Six requests of four tokens at each load."""
    async with LoopbackServer(engine) as server:
        connection = Connection(
            client="openai-sdk",
            protocol=Protocol.OPENAI_CHAT,
            base_url=Setting(f"{server.origin}/v1", GIVEN),
            key=Setting(Secret(KEY), GIVEN),
            model=Setting("shop-8b", GIVEN),
        )
        asked = Asked(
            Target("engine", "engine", "engine", connection, named=True),
            Options(timeout=60.0, named=frozenset({"engine"})),
            environment(),
            Settings(),
            Redactor(),
        )
        scenario = Scenario(LOADS, 20, 4, requests=6, repeats=repeats, warmup=0)
        source = Prompts(Protocol.OPENAI_CHAT, 20, 4)
        return await benched(asked, None, scenario, source, tell, stop)


async def test_what_is_told_comes_load_by_load() -> None:
    heard: list[Event] = []
    made = await run(SlottedEngine(), heard.append, Stop())

    assert [e.level for e in heard if isinstance(e, Measured)] == list(made.levels)
    progress = [e for e in heard if isinstance(e, Progress)]
    assert [e.done for e in progress] == [*range(7)] * 3
    assert progress[6].tokens == 24
    assert progress[6].ttft == made.levels[0].median("ttft")
    assert progress[0].ttft is None
    # The engine is looked at before and after each load at least.
    assert sum(isinstance(e, Looked) for e in heard) >= 6


@pytest.mark.parametrize("cut", [False, True])
async def test_the_load_that_was_stopped_does_not_count(cut: bool) -> None:
    stop = Stop()
    engine = SlottedEngine()

    def tell(event: Event) -> None:
        if isinstance(event, Progress) and event.load == LOADS[1] and event.done == 2:
            stop.ask()
            if cut:
                engine.each = 60.0
                stop.ask()

    async with asyncio.timeout(30):
        made = await run(engine, tell, stop)

    assert [level.load for level in made.levels] == [LOADS[0]]
    assert made.knee is None
    assert any("stopped before its end" in note for note in made.notes)
    assert len(engine.asked) <= 2 + 6 + 4


async def test_of_the_only_load_what_was_answered_counts() -> None:
    stop = Stop()

    def tell(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 3:
            stop.ask()

    made = await run(SlottedEngine(), tell, stop, repeats=3)

    (level,) = made.levels
    assert (level.load, level.answers, len(level.repeats)) == (LOADS[0], 3, 1)


async def test_whole_repeats_are_kept_without_the_stopped_one() -> None:
    stop = Stop()

    def tell(event: Event) -> None:
        if isinstance(event, Progress) and event.repeat == 2 and event.done == 3:
            stop.ask()

    made = await run(SlottedEngine(), tell, stop, repeats=3)

    (level,) = made.levels
    assert (level.answers, len(level.repeats)) == (6, 1)


async def test_cut_before_anything_was_answered_there_is_nothing() -> None:
    stop = Stop()
    engine = SlottedEngine()

    def tell(event: Event) -> None:
        if isinstance(event, Progress):
            engine.each = 60.0
            stop.asked = stop.cut = True

    made = await run(engine, tell, stop)

    assert made.levels == ()
    assert not made.answered
