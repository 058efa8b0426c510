"""The planner against vLLM's own planning code, as it answered (``oracle_recorded.json``)."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.memory import Plan, plan
from doctor.memory.parameters import is_counted
from doctor.memory.reading import Model
from doctor.memory.weights import weights_of
from tests.memory.oracle.cases import cases, config, options, recorded

ANSWERS = recorded()
CASES = [case for case in cases() if case["name"] in ANSWERS]


def figures(made: Plan) -> dict[str, Any]:
    return {
        "max_model_len": made.max_model_len,
        "block_size": made.block_size,
        "in_flight": made.need.in_flight,
        "layers": sorted([r.spec, r.block_size, r.page_bytes, r.count] for r in made.rows),
        "bytes_per_token": made.bytes_per_token,
        "bytes_per_block": made.bytes_per_block,
        "num_blocks": made.num_blocks,
        "tokens": made.tokens,
        "max_concurrency": made.max_concurrency,
        "bytes_for_one_request": made.bytes_for_one_request,
        "groups": sorted(len(group.layers) for group in made.groups),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_every_figure_is_vllms_own(case: dict[str, Any]) -> None:
    answer = ANSWERS[case["name"]]
    expected = {key: answer[key] for key in figures_of(answer)}
    expected["groups"] = sorted(group[1] for group in answer["groups"])
    made = figures(plan(config(case), options(case)))
    if case["options"].get("pp", 1) > 1:
        # vLLM was asked for the first stage's groups; the planner keeps the whole model's.
        del made["groups"], expected["groups"]
    assert made == expected


def figures_of(answer: dict[str, Any]) -> list[str]:
    return [key for key in answer if key not in ("groups", "weights_bytes", "cache_dtype")]


WEIGHED = [
    case
    for case in CASES
    if is_counted(config(case))
    # Of a multimodal wrapper vLLM builds the vision part as well.
    and not case["name"].startswith("mm:")
    and "dtype" not in case["options"]["engine"]
    # Asked of a model that was built whole, or with a draft beside it.
    and case["options"].get("pp", 1) == 1
]


@pytest.mark.parametrize("case", WEIGHED, ids=lambda case: str(case["name"]))
def test_weights_are_within_one_percent_of_the_model_that_vllm_builds(case: dict[str, Any]) -> None:
    made = plan(config(case), options(case))
    found = weights_of(Model(case["name"], "", config(case)), made)
    assert found is not None
    assert found.per_rank == pytest.approx(ANSWERS[case["name"]]["weights_bytes"], rel=0.01)


def test_the_answers_span_what_they_are_to_span() -> None:
    architectures = {config(case).architecture for case in CASES}
    kinds = {row[0] for answer in ANSWERS.values() for row in answer["layers"]}
    assert len(CASES) >= 200
    assert len(architectures) >= 50
    assert kinds == {
        "FullAttentionSpec",
        "SlidingWindowSpec",
        "ChunkedLocalAttentionSpec",
        "MLAAttentionSpec",
        "MambaSpec",
        "CrossAttentionSpec",
    }
