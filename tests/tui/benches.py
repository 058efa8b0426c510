"""Benchmarks that were written down: a sweep up to its knee, as it is heard and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from doctor.bench.beside import Beside, Gauges
from doctor.bench.figures import Level
from doctor.bench.knee import knee_of
from doctor.bench.progress import Event, Looked, Measured, Progress
from doctor.bench.running import Run
from doctor.bench.saved import NameTaken
from doctor.bench.scenario import Load, Scenario
from doctor.bench.stop import Stop
from doctor.text import Text, _
from doctor.tui.benching import Heard, Wanted, Whom
from doctor.tui.session import Trouble
from tests.benchcmd.runs import level, looks, repeat

URL = "http://127.0.0.1:8000/v1"
SETUP = {"kvdoctor": "0.9", "model": "qwen3-8b", "server": URL, "vllm": "0.32.0"}


class ScriptedBench:
    """Plays ``heard``; where no run is among it, it then waits for ever. ``hosted`` says that the
    server is somebody else's. What was wanted and kept stays to be looked at."""

    def __init__(
        self,
        heard: Sequence[Heard] = (),
        *,
        whom: Whom | None = None,
        hosted: bool = False,
        kept: Sequence[tuple[str, Run]] = (),
        trouble: str = "",
    ) -> None:
        self._heard = tuple(heard)
        self._whom = whom or Whom("vLLM on 127.0.0.1", URL, "qwen3-8b", ("shop-api",))
        self._hosted = hosted
        self._trouble = trouble
        self.runs = dict(kept)
        self.wanted: list[Wanted] = []
        self.stops: list[Stop] = []

    async def whom(self) -> Whom:
        return self._whom

    def question(self, scenario: Scenario) -> Text | None:
        if not self._hosted:
            return None
        return _("up to {n} requests to https://gateway.example", n=scenario.most_requests)

    async def run(self, wanted: Wanted, stop: Stop) -> AsyncIterator[Heard]:
        self.wanted.append(wanted)
        self.stops.append(stop)
        for heard in self._heard:
            yield heard
        if self._trouble:
            raise Trouble(self._trouble)
        if not any(isinstance(heard, Run) for heard in self._heard):
            await asyncio.Event().wait()

    async def kept(self) -> list[tuple[str, Run]]:
        return list(self.runs.items())

    async def keep(self, run: Run, name: str, *, replace: bool) -> None:
        if name in self.runs and not replace:
            raise NameTaken(name)
        self.runs[name] = run


def levels(*, slow: float = 1.0, failing: bool = False) -> tuple[Level, ...]:
    """A sweep whose engine runs 16 at once, each token ``slow`` times as slow; ``failing``: some of
    the largest load's requests time out."""
    made = []
    for size in (1, 2, 4, 8, 16, 32, 64):
        running = min(size, 16)
        rate = 55.0 * running / (1 + running / 40) / slow
        waits = max(size - 16, 0)
        beside = looks((running, waits, 0.04 * running), times=12)
        errors = {"timeout": 6, "http-502": 1} if failing and size == 64 else {}
        made.append(
            level(
                size,
                repeat(
                    rate,
                    0.06 * slow + 0.09 * waits,
                    0.0175 * slow * (1 + running / 40),
                    seed=size,
                    count=max(20, 4 * size),
                    engine=beside,
                    errors=errors,
                ),
            )
        )
    return tuple(made)


def sweep(*, slow: float = 1.0, failing: bool = False, started: str = "2026-11-30T09:12:44") -> Run:
    held = levels(slow=slow, failing=failing)
    return Run(
        started=f"{started}+00:00",
        setup=SETUP if slow == 1.0 else {**SETUP, "vllm": "0.31.1"},
        levels=held,
        knee=knee_of(held),
        sweep=True,
        requests=sum(one.answers for one in held) + 4,
        spent=76_300,
    )


def half() -> tuple[Event, ...]:
    """Five loads are over, and of the sixth two thirds."""
    done = levels()[:5]
    events: list[Event] = [Measured(one) for one in done]
    events.append(Looked(Gauges(16, 15, 0.64)))
    events.append(
        Progress(
            side="vLLM on 127.0.0.1",
            load=Load(32),
            repeat=1,
            repeats=1,
            done=85,
            of=128,
            failed=0,
            tokens=4_250,
            seconds=6.9,
            ttft=1.21,
            tpot=0.0246,
        )
    )
    return tuple(events)


def single() -> Run:
    """One load, which no engine told of."""
    one = level(4, repeat(80.0), repeat(82.0, seed=2), repeat(79.0, seed=3))
    return Run(
        started="2026-11-30T10:01:02+00:00",
        setup={**SETUP, "server": "https://gateway.example/v1"},
        levels=(one,),
        requests=122,
        spent=18_000,
    )


def unanswered() -> Run:
    """Nothing came back."""
    one = level(1, repeat(count=0, errors={"timeout": 5}, engine=Beside()))
    return Run(started="2026-11-30T10:01:02+00:00", setup=SETUP, levels=(one,), requests=5)
