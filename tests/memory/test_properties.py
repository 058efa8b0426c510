"""What must hold of every plan, and that no config.json can break the planner."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.memory import ModelError, OptionError, Options, model_config, plan
from doctor.memory.case import case_of
from doctor.memory.config import ModelConfig
from doctor.memory.demand import Demand, demand_of
from doctor.memory.gpus import named, size
from doctor.memory.reading import Model, find_model, table
from tests.memory.oracle.cases import cases, raw_config

ROWS = {row["id"]: model_config(row["config"], row["id"]) for row in table()}
# One case per architecture.
SEEDS = list({raw_config(case)["architectures"][0]: raw_config(case) for case in cases()}.values())
GIB = 1 << 30

models = st.sampled_from(sorted(ROWS)).map(ROWS.__getitem__)
sizes = st.integers(min_value=0, max_value=400 * GIB)
lengths = st.integers(min_value=1, max_value=200_000)
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(models, sizes, sizes)
@settings(max_examples=60, deadline=None)
def test_more_memory_never_gives_fewer_blocks(model: ModelConfig, one: int, two: int) -> None:
    less, more = sorted((one, two))
    first, second = (plan(model, Options(available=n)) for n in (less, more))
    assert (first.num_blocks or 0) <= (second.num_blocks or 0)
    assert (first.tokens or 0) <= (second.tokens or 0)


@given(models, st.sampled_from([1, 2, 4, 8]))
@settings(max_examples=60, deadline=None)
def test_more_ranks_never_hold_more_each(model: ModelConfig, tp: int) -> None:
    try:
        wider = plan(model, Options(tensor_parallel_size=2 * tp))
        narrower = plan(model, Options(tensor_parallel_size=tp))
    except OptionError:
        return  # heads that do not divide
    assert wider.bytes_per_token <= narrower.bytes_per_token


@given(models, lengths, lengths)
@settings(max_examples=60, deadline=None)
def test_longer_requests_never_take_less(model: ModelConfig, one: int, two: int) -> None:
    made = plan(model, Options())
    short, long = sorted((one, two))
    assert made.blocks_for(short) <= made.blocks_for(long)
    assert made.bytes_held(long) <= made.bytes_for(long)


@given(models)
@settings(max_examples=40, deadline=None)
def test_an_fp8_cache_is_half_and_the_full_bound_never_the_smaller_one(model: ModelConfig) -> None:
    made = plan(model, Options())
    assert 2 * plan(model, Options(kv_cache_dtype="fp8")).bytes_per_token in (
        made.bytes_per_token,
        # Sparse attention: its fp8 format has scales, and the indexer's keys are fp8 already.
        2 * 61 * (656 + 132),
    )
    try:
        whole = plan(model, Options(disable_hybrid_kv_cache_manager=True, max_model_len=100_000))
    except OptionError:
        return  # states cannot be stored as attention
    kept = plan(model, Options(max_model_len=100_000))
    assert whole.bytes_for_one_request >= kept.bytes_for_one_request * 0.99


@given(st.sampled_from(SEEDS), st.data())
@settings(max_examples=150, deadline=None)
def test_a_config_with_anything_in_any_field_is_planned_or_refused(
    seed: dict[str, Any], data: st.DataObject
) -> None:
    changed = dict(seed)
    for name in data.draw(st.lists(st.sampled_from(sorted(seed)), max_size=4)):
        changed[name] = data.draw(junk)
    for name in data.draw(st.lists(st.sampled_from(sorted(seed)), max_size=3)):
        changed.pop(name, None)
    options = Options(
        available=data.draw(sizes), tensor_parallel_size=data.draw(st.sampled_from([1, 2, 8]))
    )
    with contextlib.suppress(ModelError, OptionError):
        model = Model("m", "m", model_config(changed, "config.json"))
        case = case_of(model, options, named("H100"), Demand())
        assert case.likely.bytes_per_block >= 0


@given(junk)
@settings(max_examples=100, deadline=None)
def test_any_json_is_planned_or_refused(value: object) -> None:
    with pytest.raises((ModelError, OptionError)):
        plan(model_config(value, "config.json"), Options())


@given(st.text(max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_text_for_a_gpu_or_a_size_is_read_or_refused(text: str) -> None:
    for read in (named, lambda value: size(value, "--gpu-memory")):
        with contextlib.suppress(OptionError):
            read(text)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_log_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    path.write_bytes(data)
    with contextlib.suppress(OptionError):
        assert demand_of(str(path), None).requests > 0


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"architectures": []}', "[" * 100_000, '{"architectures": [1]}',
     '{"architectures": ["LlamaForCausalLM"], "num_hidden_layers": 99999999999}',
     '{"architectures": ["LlamaForCausalLM"], "num_hidden_layers": -1}',
     '{"architectures": ["LlamaForCausalLM"], "num_hidden_layers": 1e308}'],
)  # fmt: skip
def test_a_broken_file_is_named_in_the_refusal(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        plan(find_model(str(tmp_path)).config, Options())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x08",
        b"\xff" * 16,
        b"\x02\0\0\0\0\0\0\0[]",
        b"\x0d\0\0\0\0\0\0\0" + b'{"w": {"a":1}}',
    ],
)
def test_a_broken_checkpoint_is_named_in_the_refusal(tmp_path: Path, data: bytes) -> None:
    row = table()[0]["config"]
    (tmp_path / "config.json").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        find_model(str(tmp_path))


def test_an_unknown_architecture_is_refused_by_name() -> None:
    config = model_config({"architectures": ["LlamaForCausalLM2"]}, "config.json")
    with pytest.raises(ModelError, match=r"LlamaForCausalLM2 is not known.*LLaMAForCausalLM"):
        plan(config, Options())


def test_escapes_in_a_config_do_not_reach_the_terminal() -> None:
    config = model_config({"architectures": ["\x1b[31mEvil"]}, "config.json")
    with pytest.raises(ModelError) as refused:
        plan(config, Options())
    assert "\x1b" not in str(refused.value)


def test_a_plan_is_the_same_whatever_was_planned_before() -> None:
    config = ROWS["google/gemma-2-9b-it"]
    made = plan(config, Options(available=8 * GIB))
    plan(config, replace(made.options, disable_hybrid_kv_cache_manager=True))
    assert plan(config, Options(available=8 * GIB)).tokens == made.tokens
