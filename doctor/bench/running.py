"""The whole run: warm-up, loads, repeats, sides in turn."""

from __future__ import annotations

import contextlib
import datetime
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from doctor.bench.beside import Gauges, Look, sampling
from doctor.bench.bodies import Logged, Prompts
from doctor.bench.figures import Level, Repeat, level_of, repeat_of
from doctor.bench.knee import Knee, knee_of, saturated
from doctor.bench.load import Bounds, Purse, fire, poisson
from doctor.bench.progress import Count, Looked, Measured, Progress, Tell
from doctor.bench.scenario import Load, Scenario
from doctor.bench.setup import asked_of
from doctor.bench.side import Asked, Side, opened
from doctor.bench.stats import mean
from doctor.bench.stop import Stop
from doctor.enginemetrics import now_of
from doctor.facts.engine import Metrics
from doctor.facts.store import Unavailable
from doctor.probes.streaming import Shot
from doctor.records import dataclass
from doctor.text import Text, _

Source = Prompts | Logged

_SHORT, _LONG = 8, 48
# Of so much, prompts may be off the wanted length before it is said.
_OFF = 0.15
_LATE = 0.005
_MERGED = 1.2


@dataclass(frozen=True, slots=True)
class Run:
    """``levels`` are those of the target, ``through`` those of the same requests on another way.
    ``setup`` is what it was made with. ``spent`` counts tokens."""

    started: str
    setup: dict[str, str]
    levels: tuple[Level, ...]
    through: tuple[Level, ...] = ()
    through_url: str = ""
    knee: Knee | None = None
    sweep: bool = False
    notes: tuple[Text, ...] = ()
    requests: int = 0
    spent: int = 0

    @property
    def answered(self) -> bool:
        return any(level.answers for level in self.levels)


@dataclass(slots=True)
class _State:
    scenario: Scenario
    source: Source
    purse: Purse
    tell: Tell
    stop: Stop
    notes: list[Text] = field(default_factory=list)
    requests: int = 0


async def benched(
    asked: Asked,
    through: Asked | None,
    scenario: Scenario,
    source: Source,
    tell: Tell,
    stop: Stop | None = None,
) -> Run:
    """Until the bounds of ``scenario``, or ``stop``. Raises ``Unavailable`` where nothing is
    answered before the load begins."""
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    each = scenario.prompt_tokens + scenario.output_tokens
    state = _State(scenario, source, Purse(scenario.tokens, each), tell, stop or Stop())
    async with contextlib.AsyncExitStack() as stack:
        sides = [await stack.enter_async_context(opened(asked))]
        if through is not None:
            sides.append(await stack.enter_async_context(opened(through)))
            for side in sides:
                # A gateway may not know it, and both ways are to be asked the same.
                side.form.exact = False
        for side in sides:
            await _warm(side, state)
        levels = await _levels(sides, state)
        setup = {**sides[0].setup, **asked_of(scenario)}
        if through is not None:
            setup["through"] = sides[1].url
    own = levels[0]
    return Run(
        started=started,
        setup=setup,
        levels=tuple(own),
        through=tuple(levels[1]) if len(levels) > 1 else (),
        through_url=sides[1].url if len(sides) > 1 else "",
        knee=knee_of(own, setup) if len(own) > 1 else None,
        sweep=scenario.sweep,
        notes=(*state.notes, *_notes(own, state, scenario)),
        requests=state.requests,
        spent=state.purse.spent,
    )


async def _levels(sides: Sequence[Side], state: _State) -> list[list[Level]]:
    scenario = state.scenario
    levels: list[list[Level]] = [[] for _side in sides]
    for load in scenario.loads:
        repeats: list[list[Repeat]] = [[] for _side in sides]
        for number in range(scenario.repeats):
            # Turn about, so that what changes with time meets both.
            order = range(len(sides)) if number % 2 == 0 else reversed(range(len(sides)))
            for place in order:
                repeat = await _repeat(sides[place], load, number, state)
                if repeat is not None and _counts(state, [*levels[place], *repeats[place]]):
                    repeats[place].append(repeat)
            if state.stop.asked:
                break
        if not all(repeats):
            break
        for place, held in enumerate(repeats):
            levels[place].append(level_of(load, held))
        state.tell(Measured(levels[0][-1]))
        if state.stop.asked:
            break
        if levels[0][-1].answers == 0 or (scenario.sweep and saturated(levels[0])):
            break
        if state.purse.empty:
            break
    if state.stop.asked:
        state.notes.append(_("the run was stopped before its end: what was measured is kept"))
    elif state.purse.empty and len(levels[0]) < len(scenario.loads):
        state.notes.append(_("the bound of tokens ended the run"))
    return levels


def _counts(state: _State, before: Sequence[object]) -> bool:
    """Whether what was measured last counts. Where it was stopped in the middle, its figures are
    lower than those of a whole one and would pass for a limit; better than none they are."""
    return not (state.stop.asked and before)


async def _repeat(side: Side, load: Load, number: int, state: _State) -> Repeat | None:
    """None where no token is left, or it was cut."""
    scenario = state.scenario
    requests = scenario.requests_of(load)
    count, began = Count(), time.perf_counter()

    def tell() -> None:
        progress = Progress(
            side=side.label,
            load=load,
            repeat=number + 1,
            repeats=scenario.repeats,
            done=count.done,
            of=requests,
            failed=count.failed,
            tokens=count.tokens,
            seconds=time.perf_counter() - began,
            ttft=count.ttft,
            tpot=count.tpot,
        )
        state.tell(progress)

    def heard(shot: Shot) -> None:
        count.add(shot)
        tell()

    tell()
    arrival = None
    if load.rate is not None and scenario.arrival == "poisson":
        seed = f"{scenario.seed}/{load.name}/{number}"
        arrival = poisson(load.rate, random.Random(seed))  # noqa: S311 - no secret
    async with sampling(_told(side.look, state.tell), side.gpu) as beside:
        work = fire(
            lambda: _ask(side, state),
            load,
            Bounds(requests, scenario.seconds),
            state.purse,
            heard,
            arrival,
            state.stop,
        )
        salvo = await state.stop.unless_cut(work)
    state.requests += count.done
    return (
        None if salvo is None or not salvo.shots else repeat_of(salvo, beside.result, beside.gpus)
    )


def _told(look: Look | None, tell: Tell) -> Look | None:
    """``look``, and what is seen is told."""
    if look is None:
        return None

    async def looked() -> Metrics:
        metrics = await look()
        now = now_of(metrics)
        tell(Looked(Gauges(now.running, now.waiting, now.kv_usage)))
        return metrics

    return looked


async def _ask(side: Side, state: _State) -> Shot:
    asked, tokens = state.source.next()
    return await side.streamer.ask(side.form.body(asked, tokens))


async def _warm(side: Side, state: _State) -> None:
    """Opens connections, lets the server compile, finds what it refuses and how long a word is.

    Raises ``Unavailable`` where it answers nothing.
    """
    source = state.source
    if isinstance(source, Prompts):
        counts = []
        for words in (_SHORT, _LONG):
            shot = await _first(side, state, words)
            counts.append((words, shot.prompt or 0))
        source.learn(counts[0], counts[1])
    for _number in range(state.scenario.warmup):
        await _checked(side, state, *source.next())


async def _first(side: Side, state: _State, words: int) -> Shot:
    assert isinstance(state.source, Prompts)
    return await _checked(side, state, state.source.of_words(words), 2)


async def _checked(side: Side, state: _State, asked: Mapping[str, Any], tokens: int) -> Shot:
    """One request whose refusal counts. Raises ``Unavailable``."""
    while True:
        if not state.purse.take():
            raise Unavailable(_("--max-total-tokens leaves no request to be sent"))
        shot = await side.streamer.ask(side.form.body(asked, tokens))
        state.requests += 1
        state.purse.settle(shot)
        if not shot.error or shot.error == "empty":
            return shot
        if shot.status not in (400, 422) or not side.form.without(shot.said):
            reason = shot.said or shot.error
            told = reason if shot.status in (None, 200) else f"{shot.status}: {reason}"
            raise Unavailable(_("{url} does not answer: {why}", url=side.url, why=told))


def _notes(levels: Sequence[Level], state: _State, scenario: Scenario) -> list[Text]:
    notes = []
    repeats = [repeat for level in levels for repeat in level.repeats]
    if any(repeat.untold for repeat in repeats):
        notes.append(_("the server does not tell its tokens: pieces of the stream count as tokens"))
    tokens, pieces = sum(r.output_tokens for r in repeats), sum(r.pieces for r in repeats)
    if pieces and tokens > pieces * _MERGED:
        notes.append(
            _(
                "a piece of the stream carries {n} tokens on average: the gaps are those between"
                " pieces",
                n=f"{tokens / pieces:.1f}",
            )
        )
    if any(repeat.held for repeat in repeats):
        notes.append(_("not all requests began when they were due: too many were under way"))
    late = max((repeat.lag for repeat in repeats), default=0.0)
    if late >= _LATE:
        notes.append(
            _(
                "this machine was busy: the client itself was up to {late} ms late (P99), so times"
                " may be too long by that",
                late=f"{late * 1000:.0f}",
            )
        )
    if isinstance(state.source, Logged):
        if state.requests > state.source.count:
            notes.append(
                _(
                    "the log has {count} prompts, which were sent more than once: what was sent"
                    " before may come from the prefix cache",
                    count=state.source.count,
                )
            )
        if state.source.unread:
            notes.append(_("{n} lines of the log could not be sent", n=state.source.unread))
    else:
        notes += _lengths(repeats, scenario)
    return notes


def _lengths(repeats: Sequence[Repeat], scenario: Scenario) -> list[Text]:
    notes = []
    answers = sum(repeat.answers for repeat in repeats)
    for name, wanted, got in (
        ("prompt", scenario.prompt_tokens, [r.prompt_tokens for r in repeats]),
        ("output", scenario.output_tokens, [r.output_tokens for r in repeats]),
    ):
        held = mean(got) * len(got) / answers if answers else 0.0
        if held and abs(held / wanted - 1) > _OFF:
            text = _(
                "{got} {name} tokens on average, not {wanted}",
                got=f"{held:.0f}",
                name=name,
                wanted=wanted,
            )
            notes.append(text)
    return notes


__all__ = ["Progress", "Run", "benched"]
