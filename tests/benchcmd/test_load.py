"""Closed and open loops keep their bounds, with a clock that the test does not have to wait for."""

from __future__ import annotations

import asyncio
import random
import time

from hypothesis import given
from hypothesis import strategies as st

from doctor.bench.bodies import Form, Prompts
from doctor.bench.load import Bounds, Purse, fire, poisson
from doctor.bench.scenario import Load, Scenario
from doctor.connection import Protocol
from doctor.probes.streaming import Shot

CHAT = Protocol.OPENAI_CHAT


class Asked:
    """Answers after a turn of the loop, with so many tokens; or fails."""

    def __init__(self, tokens: int = 10, error: str = "") -> None:
        self.count = self.under_way = self.most = 0
        self._tokens = tokens
        self._error = error

    async def __call__(self) -> Shot:
        self.count += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        began = time.perf_counter()
        return Shot(began, 0.0, [began], prompt=5, output=self._tokens, error=self._error)


@given(st.integers(1, 20), st.integers(1, 60))
def test_a_closed_loop_sends_as_many_as_it_may_and_so_many_at_once(at_once: int, of: int) -> None:
    ask = Asked()
    salvo = asyncio.run(fire(ask, Load(at_once), Bounds(of, 60), Purse(None, 15)))
    assert (ask.count, len(salvo.shots)) == (of, of)
    assert ask.most <= at_once


@given(st.integers(1, 8), st.integers(0, 400))
def test_no_token_beyond_the_purse_is_spent(at_once: int, tokens: int) -> None:
    ask = Asked()
    purse = Purse(tokens, 15)
    asyncio.run(fire(ask, Load(at_once), Bounds(1_000, 60), purse))
    assert purse.spent == ask.count * 15 <= tokens
    assert purse.empty


async def test_where_nothing_is_answered_it_stops() -> None:
    ask = Asked(error="connect")
    salvo = await fire(ask, Load(1), Bounds(1_000, 60), Purse(None, 15))
    assert ask.count == 5
    assert salvo.hopeless


async def test_no_time_means_no_request() -> None:
    ask = Asked()
    await fire(ask, Load(2), Bounds(10, 0), Purse(None, 15))
    assert ask.count == 0


async def test_an_open_loop_sends_all() -> None:
    ask = Asked()
    salvo = await fire(ask, Load(rate=1000), Bounds(20, 60), Purse(None, 15), arrival=lambda: 0.0)
    assert (ask.count, salvo.held) == (20, False)


def test_arrivals_come_at_the_rate_on_average() -> None:
    gap = poisson(50.0, random.Random(1))
    gaps = [gap() for _ in range(5_000)]
    assert 0.018 < sum(gaps) / len(gaps) < 0.022


@given(st.integers(1, 400), st.floats(0, 1), st.floats(0.3, 8), st.floats(0, 40))
def test_prompts_have_the_length_that_was_asked_for(
    tokens: int, shared: float, per_word: float, base: float
) -> None:
    prompts = Prompts(CHAT, tokens, 10, shared=shared)
    prompts.learn((8, round(base + 8 * per_word)), (48, round(base + 48 * per_word)))
    asked, output = prompts.next()
    words = len(asked["messages"][0]["content"].split())
    assert output == 10
    # A token counted more or less in the two prompts is what may be wrong.
    assert abs(base + words * per_word - max(tokens, base + per_word)) <= max(
        per_word, 2 + 0.1 * tokens / per_word
    )


def test_a_form_learns_from_refusals_and_gives_up() -> None:
    form = Form(CHAT, "m", exact=True)
    assert form.without("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'")
    assert form.without("unknown field ignore_eos")
    assert '"max_completion_tokens": 7' in form.body({}, 7)
    assert "ignore_eos" not in form.body({}, 7)
    assert not form.without("the model is asleep")


def test_what_a_run_may_cost_is_known_before() -> None:
    loads = (Load(1), Load(8))
    scenario = Scenario(loads, prompt_tokens=100, output_tokens=50, repeats=2)
    assert scenario.most_requests == 2 * (20 + 32)
    assert scenario.most_tokens() == 104 * 150
    assert scenario.most_tokens(2) == 2 * 104 * 150
    assert Scenario(loads, tokens=1_000).most_tokens(2) == 1_000
