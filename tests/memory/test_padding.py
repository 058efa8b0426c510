"""What MXFP4 kernels add to the experts of gpt-oss, by vLLM's own rules of rounding up."""

from __future__ import annotations

import pytest

from doctor.memory.case import case_of
from doctor.memory.question import of_words
from doctor.memory.ranges import NOTHING, Range

# Experts of gpt-oss-20b: 24 layers, 32 experts, three matrices of 2880 × 2880, 4.25 bits each.
_EXPERTS = 24 * 32 * 3 * 2880 * 2880 * 4.25 / 8


def padding(model: str, gpu: str, *words: str, version: str | None = None) -> Range:
    question = of_words((model, *words), gpu=gpu, version=version)
    budget = case_of(question.model, question.options, question.gpu, question.demand).budget
    assert budget is not None
    return budget.padding


def added(columns: int, hidden: int, ranks: int = 1) -> int:
    whole = (columns * ranks) * hidden / (2880 * 2880)
    return round(_EXPERTS / ranks * (whole - 1))


def test_marlin_is_all_that_an_older_gpu_has() -> None:
    # mxfp4.py: n % 128 and hidden % 256 for Marlin, which a GPU before Hopper always gets.
    found = padding("openai/gpt-oss-20b", "L4")
    assert found == Range(found.low, found.low, found.low)
    assert found.low == pytest.approx(added(2944, 3072), abs=2)


def test_on_hopper_it_depends_on_what_is_installed() -> None:
    found = padding("openai/gpt-oss-20b", "H100")
    # Triton rounds the columns to 64, of which 2880 is a multiple.
    assert (found.low, found.likely) == (0, 0)
    assert found.high == pytest.approx(added(2944, 3072), abs=2)


def test_parts_of_experts_are_padded_each() -> None:
    found = padding("openai/gpt-oss-20b", "L4", "-tp", "4")
    assert found.likely == pytest.approx(added(768, 3072, ranks=4), abs=2)


@pytest.mark.parametrize(
    ("version", "columns"), [("0.25.1", 3072), ("0.27.1", 2944)], ids=["larger", "smaller"]
)
def test_blackwells_tile_changed_with_the_version(version: str, columns: int) -> None:
    found = padding("openai/gpt-oss-20b", "B200", version=version)
    assert found.high == pytest.approx(added(columns, 3072), abs=2)


def test_other_models_are_not_padded() -> None:
    assert padding("Qwen/Qwen3-8B", "L4") == NOTHING
    assert padding("Qwen/Qwen3-30B-A3B", "H100") == NOTHING
