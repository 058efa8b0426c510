"""The planner against the real vLLM: its planning code, and what a running server logs."""

from __future__ import annotations

import re

import pytest

from doctor.memory import Options, plan
from doctor.memory.planner import with_memory
from doctor.memory.reading import find_model
from tests.memory.oracle.cases import cases, config, options, recorded
from tests.memory.oracle.record import ask
from tests.memory.test_oracle import figures, figures_of

from .conftest import spread, thorough
from .servers import RunningServer, start_vllm
from .setup_servers import locate

GIB = 1 << 30
# vLLM needs many seconds for each.
MOST = 10
SIZE = re.compile(r"KV cache size: ([\d,]+) tokens, Maximum concurrency for ([\d,]+) tokens per "
                  r"request: ([\d.]+)x")  # fmt: skip


@pytest.mark.timeout(1800)
def test_vllm_plans_every_case_as_it_did_and_as_the_planner_does() -> None:
    wanted = spread([case for case in cases() if case["live"]], MOST)
    answers = ask(wanted)
    failed = {name: answer["error"] for name, answer in answers.items() if "error" in answer}
    assert failed == {}
    for case in wanted:
        answer, kept = answers[case["name"]], recorded()[case["name"]]
        assert {key: answer[key] for key in kept} == kept, case["name"]
        made = figures(plan(config(case), options(case)))
        assert {key: made[key] for key in figures_of(kept)} == {
            key: answer[key] for key in figures_of(kept)
        }, case["name"]


def test_the_start_up_log_says_what_is_planned(vllm_server: RunningServer) -> None:
    agrees(vllm_server, 2048)


def test_so_it_does_for_a_longer_window() -> None:
    if not thorough():
        pytest.skip("needs a server of its own: KVDOCTOR_LIVE=all")
    with start_vllm(max_model_len=8192) as engine:
        agrees(engine, 8192)


def agrees(engine: RunningServer, length: int) -> None:
    model = find_model(str(locate().model))
    made = with_memory(plan(model.config, Options(block_size=32, max_model_len=length)), GIB)
    logged = SIZE.search(engine.log_text())
    assert logged is not None
    tokens, window, concurrency = logged.groups()
    assert tokens == f"{made.tokens:,}"
    assert window == f"{length:,}"
    assert concurrency == f"{made.max_concurrency:.2f}"
