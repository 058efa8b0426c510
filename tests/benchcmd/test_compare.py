"""Two runs against each other: what chance explains is no verdict."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.bench.compare import Comparison, changes, compared
from doctor.bench.running import Run
from doctor.bench.setup import flags_of

from .runs import level, repeat

SETUP = {"model": "shop-8b", "flag --max-num-seqs": "64"}


def run(seed: int = 0, repeats: int = 3, setup: dict[str, str] | None = None, **more: Any) -> Run:
    made = [repeat(seed=seed + n, **more) for n in range(repeats)]
    return Run(started="", setup=SETUP if setup is None else setup, levels=(level(8, *made),))


def verdicts(found: Comparison) -> dict[str, str]:
    return {difference.figure: difference.verdict for difference in found.differences}


@pytest.mark.parametrize("seed", range(20))
def test_runs_that_differ_by_chance_are_not_called_different(seed: int) -> None:
    found = compared(run(seed=seed * 10), run(seed=1_000 + seed * 10), "before")
    assert found.changed == ()
    assert not {"better", "worse"} & set(verdicts(found).values())


def test_a_slower_first_token_is_worse_and_nothing_else_is() -> None:
    found = verdicts(compared(run(), run(seed=50, ttft=0.2), "before"))
    assert found["ttft"] == "worse"
    assert found["tpot"] == "same"


def test_more_tokens_a_second_are_better() -> None:
    found = compared(run(), run(seed=50, rate=130.0), "before")
    assert verdicts(found)["output_rate"] == "better"
    assert found.verdict == "better"


def test_one_repeat_judges_large_changes_only() -> None:
    small = compared(run(repeats=1), run(repeats=1, seed=50, ttft=0.107), "before")
    large = compared(run(repeats=1), run(repeats=1, seed=50, ttft=0.15), "before")
    assert small.once
    assert verdicts(small)["ttft"] in ("unclear", "same")
    assert verdicts(large)["ttft"] == "worse"


def test_what_a_busy_client_measured_is_not_judged() -> None:
    found = compared(run(), run(seed=50, ttft=0.5, lag=0.5), "before")
    assert set(verdicts(found).values()) == {"unclear"}


def test_a_change_within_the_clients_own_lateness_is_not_judged() -> None:
    late = compared(run(), run(seed=50, ttft=0.115, lag=0.018), "before")
    assert verdicts(late)["ttft"] == "unclear"


def test_changes_are_told_with_both_values() -> None:
    after = {"model": "shop-8b", "flag --max-num-seqs": "128", "vllm": "0.32.0"}
    found = [(c.name, c.before, c.after) for c in changes(SETUP, after)]
    assert found == [("flag --max-num-seqs", "64", "128"), ("vllm", "", "0.32.0")]


def test_loads_of_one_run_alone_are_named_and_not_compared() -> None:
    other = Run(started="", setup=SETUP, levels=(level(8), level(16)))
    found = compared(run(), other, "before")
    assert found.missing == ("16",)
    assert {difference.load for difference in found.differences} == {"8"}


def test_flags_of_a_launch_line_hold_no_key() -> None:
    words = "vllm serve m --max-num-seqs=4 --api-key sk-made-up --enforce-eager --port 8000"
    more = "--tokenizer t --hf-token hf_made_up --dtype auto --max-num-batched-tokens 64"
    assert flags_of([*words.split(), *more.split()]) == {
        "--max-num-seqs": "4",
        "--enforce-eager": "",
        "--tokenizer": "t",
        "--dtype": "auto",
        "--max-num-batched-tokens": "64",
    }
