"""Where more requests bring no more, and what is said to hold them back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from doctor.bench.beside import Beside
from doctor.bench.capacity import Capacity, capacity_of
from doctor.bench.figures import Level
from doctor.bench.knee import knee_of, saturated
from doctor.models import Confidence

from .runs import level, looks, repeat


def sweep(*rates: float, last: Any = None) -> list[Level]:
    """Loads of 1, 2, 4, …; ``last`` is the repeat of the last one."""
    levels = [level(2**n, repeat(rate)) for n, rate in enumerate(rates)]
    return levels if last is None else [*levels, level(2 ** len(rates), last)]


def test_the_knee_is_the_smallest_load_that_brings_nearly_all() -> None:
    knee = knee_of(sweep(100, 195, 380, 390, 395))
    assert knee is not None
    assert (knee.load, knee.reached) == ("4", True)


def test_while_it_grows_there_is_no_limit() -> None:
    knee = knee_of(sweep(100, 195, 380))
    assert knee is not None
    assert (knee.load, knee.reached, knee.limit) == ("4", False, None)


def test_one_load_has_no_knee() -> None:
    assert knee_of(sweep(100)) is None


def test_a_sweep_ends_when_two_doublings_brought_nothing() -> None:
    assert not saturated(sweep(100, 195, 380, 390))
    assert saturated(sweep(100, 195, 380, 390, 395))
    # One bad load between good ones is no saturation.
    assert not saturated(sweep(100, 95, 380))


def test_a_sweep_ends_where_many_requests_fail() -> None:
    assert saturated([level(1), level(2, repeat(errors={"timeout": 10}))])


LIMITS: dict[str, tuple[Beside | None, str, Confidence]] = {
    "slots": (looks((4, 12, 0.1), times=12), "max-num-seqs", Confidence.HIGH),
    "slots, few looks": (looks((4, 12, 0.1), times=5), "max-num-seqs", Confidence.MEDIUM),
    "cache": (looks((9, 7, 0.99), times=6), "kv-cache", Confidence.HIGH),
    "preempted": (looks((9, 0, 0.9), times=6, preempted=3), "kv-cache", Confidence.HIGH),
    "no steady number": (
        looks((3, 9, 0.1), (7, 5, 0.2), (5, 4, 0.1), times=4),
        "queue",
        Confidence.LOW,
    ),
    # As many run as were sent, none waits, and a token takes longer.
    "compute": (looks((16, 0, 0.3), times=8), "compute", Confidence.MEDIUM),
    # Without metrics everything is a guess.
    "nothing told": (None, "compute", Confidence.LOW),
    "one look": (looks((4, 12, 0.1)), "compute", Confidence.LOW),
}


@pytest.mark.parametrize("name", LIMITS)
def test_the_limit_is_named_by_what_the_engine_said(name: str) -> None:
    engine, kind, sure = LIMITS[name]
    knee = knee_of(sweep(100, 195, 380, 390, last=repeat(392, tpot=0.05, engine=engine)))
    assert knee is not None
    assert knee.limit is not None
    assert (knee.limit.kind, knee.limit.confidence) == (kind, sure)
    assert "likely" in knee.limit.text or kind == "kv-cache"


def test_slots_are_counted() -> None:
    knee = knee_of(sweep(100, 195, 380, last=repeat(381, engine=looks((4, 4, 0), times=9))))
    assert knee is not None
    assert knee.limit is not None
    assert knee.limit.at == 4


def test_an_engine_at_rest_blames_nobody() -> None:
    """Looks that found nothing running say nothing of what stands before it."""
    knee = knee_of(sweep(100, 195, 380, last=repeat(381, engine=looks((0, 0, 0), times=9))))
    assert knee is not None
    assert knee.limit is not None
    assert knee.limit.kind == "unknown"


def test_a_busy_client_says_so_rather_than_accuse_the_server() -> None:
    for engine in (looks((3, 0, 0.1), times=12), None):
        knee = knee_of(sweep(100, 195, 380, last=repeat(381, engine=engine, lag=0.5)))
        assert knee is not None
        assert knee.limit is not None
        assert knee.limit.kind == "client"


def test_a_queue_is_one_however_late_the_client_is() -> None:
    engine = looks((4, 12, 0.1), times=12)
    knee = knee_of(sweep(100, 195, 380, last=repeat(381, engine=engine, lag=0.5)))
    assert knee is not None
    assert knee.limit is not None
    assert knee.limit.kind == "max-num-seqs"


def test_requests_that_are_turned_away_are_a_limit_of_rate() -> None:
    knee = knee_of(sweep(100, 195, last=repeat(190, errors={"http-429": 30})))
    assert knee is not None
    assert knee.limit is not None
    assert knee.limit.kind == "rate-limit"


def test_a_queue_without_metrics_is_a_guess_at_a_queue() -> None:
    knee = knee_of(sweep(100, 195, 380, 390, last=repeat(392, ttft=0.9)))
    assert knee is not None
    assert knee.limit is not None
    assert (knee.limit.kind, knee.limit.confidence) == ("queue", Confidence.LOW)


# What the real engine showed with --max-num-batched-tokens 64 and prompts of 1,000 tokens: one or
# two run, all others wait, and a step lasts 4.3 ms.
PORTIONS = replace(
    looks((2, 14, 0), (1, 14, 0), (1, 14, 0), (2, 14, 0), times=4),
    ttft=0.85,
    queued=0.71,
    inter_token=0.0043,
)
SETUPS: dict[str, tuple[Beside, dict[str, str], str, Confidence]] = {
    "steps are full": (PORTIONS, {"step": "64", "slots": "64"}, "batch-tokens", Confidence.MEDIUM),
    "steps are full, no slots told": (PORTIONS, {"step": "64"}, "batch-tokens", Confidence.MEDIUM),
    # The same in an engine that could work off far more in a step.
    "steps have room": (PORTIONS, {"step": "2048", "slots": "64"}, "unknown", Confidence.LOW),
    "slots are free": (PORTIONS, {"slots": "64"}, "batch-tokens", Confidence.LOW),
    "nothing told": (PORTIONS, {}, "queue", Confidence.LOW),
    # One prompt after another is steady as well; it is not called a slot.
    "one at a time": (
        replace(PORTIONS, looks=looks((1, 14, 0), times=16).looks),
        {},
        "queue",
        Confidence.LOW,
    ),
    "one slot": (
        replace(PORTIONS, looks=looks((1, 14, 0), times=16).looks),
        {"slots": "1"},
        "max-num-seqs",
        Confidence.HIGH,
    ),
    # What the real engine showed with --max-num-seqs 4 and answers of 8 tokens: some have ended
    # and the next have not begun at most looks.
    "slots with gaps": (
        looks(*((n, 10, 0) for n in (2, 3, 4, 2, 4, 3, 3, 3, 3, 4, 2, 2))),
        {"slots": "4"},
        "max-num-seqs",
        Confidence.HIGH,
    ),
    "slots, seldom seen": (
        looks(*((n, 10, 0) for n in (2, 3, 4, 2, 2, 3, 3, 3, 3, 3, 2, 2))),
        {"slots": "4"},
        "max-num-seqs",
        Confidence.MEDIUM,
    ),
    "two engines": (looks((8, 8, 0), times=12), {"slots": "4"}, "max-num-seqs", Confidence.HIGH),
}
SETUPS |= {
    "a gateway": (looks((3, 0, 0), times=8), {"behind": "http"}, "gateway", Confidence.MEDIUM),
    # Nothing stands before an engine that is asked directly but its own API server.
    "no gateway": (looks((3, 0, 0), times=8), {}, "host", Confidence.LOW),
}
FLAGS = {
    "behind": "engine",
    "step": "flag --max-num-batched-tokens",
    "slots": "flag --max-num-seqs",
}


@pytest.mark.parametrize("name", SETUPS)
def test_the_launch_line_settles_what_requests_wait_for(name: str) -> None:
    engine, known, kind, sure = SETUPS[name]
    # 24 prompts of 1,000 tokens and answers of 8 in two seconds.
    last = repeat(
        381, engine=engine, count=24, seconds=2.0, prompt_tokens=24_000, output_tokens=192
    )
    setup = {FLAGS[flag]: value for flag, value in known.items()}
    knee = knee_of(sweep(100, 195, 380, last=last), setup)
    assert knee is not None
    assert knee.limit is not None
    assert (knee.limit.kind, knee.limit.confidence) == (kind, sure), knee.limit.text


def test_flags_are_read_however_they_are_spelt() -> None:
    assert capacity_of({"flag --max_num_seqs": "8"}) == Capacity(slots=8)
    assert capacity_of({"flag --max-num-batched-tokens": "auto", "flag --max-num-seqs": "0"}) == (
        Capacity()
    )
