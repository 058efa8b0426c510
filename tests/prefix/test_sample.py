"""The pair that is sent again is one of the log's, and as small as will do."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from doctor.prefix.analyse import Analyser
from doctor.prefix.player import Engine
from doctor.prefix.sample import Sample, Sampler

from .requests import RULES, as_lines, chat


def sampled(records: list[Any]) -> Sample | None:
    sampler = Sampler()
    analyser = Analyser(Engine(), seen=sampler)
    analyser.lines(as_lines(records))
    analyser.finish()
    return sampler.best


def clock(n: int, rules: str = RULES * 5) -> str:
    return f"Current time: 2026-03-01 09:00:{n:02}\n{rules}"


def test_the_smallest_two_that_share_enough() -> None:
    records = [chat(clock(n), "long " * (400 - 40 * n) + str(n)) for n in range(10)]
    sample = sampled(records)
    assert sample is not None
    assert sample.better is not None
    assert {sample.as_sent.first["messages"][1]["content"][-1]} <= {"8", "9"}
    assert sample.best.characters < 9_000
    assert sample.gain > 6_000


def test_the_prompt_for_which_most_is_to_be_gained() -> None:
    well = [chat("Translate this into English. " * 90, f"text {n}") for n in range(40)]
    sick = [chat(clock(n % 60), f"question {n}") for n in range(40)]
    mixed = [record for pair in zip(well, sick, strict=True) for record in pair]
    sample = sampled(mixed)
    assert sample is not None
    assert "Current time" in sample.as_sent.first["messages"][0]["content"]


def test_conversations_without_a_system_prompt_share_their_turns() -> None:
    turns: list[str] = []
    records = []
    for n in range(6):
        turns.append(f"question {n}: " + "where is my parcel? " * 30)
        messages = [
            {"role": "assistant" if k % 2 else "user", "content": turn}
            for k, turn in enumerate(turns)
        ]
        records.append({"model": "m", "messages": messages})
        turns.append(f"answer {n}: " + "it is on its way. " * 30)
    sample = sampled(records)
    assert sample is not None
    assert sample.better is None
    assert sample.as_sent.shared > 0.5


texts = st.text(max_size=40)


@given(st.lists(st.tuples(texts, texts), max_size=12))
def test_any_log_gives_a_pair_of_its_own_or_none(requests: list[tuple[str, str]]) -> None:
    records = [chat(system, turn) for system, turn in requests]
    sample = sampled(records)
    if sample is None:
        return
    assert sample.as_sent.first in records
    assert sample.as_sent.second in records
    assert 0 <= sample.as_sent.shared <= 1
    assert 0 <= sample.best.shared <= 1
    assert sample.gain >= 0


def test_what_must_not_be_sent_is_not() -> None:
    assert sampled([]) is None
    assert sampled([chat(RULES, "hi")] * 5) is None
    huge = "x" * 500_000
    assert sampled([chat(huge, f"question {n}") for n in range(3)]) is None
