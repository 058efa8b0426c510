"""Bytes per KV dtype, against what vLLM's backends make of their specs, and stored weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.memory import ModelConfig, Options, model_config, plan
from doctor.memory.dtypes import attention_bytes, checkpoint_kv_dtype, latent_bytes
from doctor.memory.reading import find_model
from doctor.memory.weights import weights_of

# "dtype:head size" → bytes of a page of 16 tokens and 8 KV heads; "mla:dtype:width" → of one
# head. Answers of the Triton, TurboQuant and MLA backends' customize_spec of vLLM 0.32.0.
RECORDED: dict[str, int] = json.loads(
    Path(__file__).with_name("kv_dtypes_recorded.json").read_text("utf-8")
)


@pytest.mark.parametrize("key", sorted(RECORDED))
def test_a_page_is_as_large_as_vllms_backend_makes_it(key: str) -> None:
    first, second, *third = key.split(":")
    if third:
        assert 16 * latent_bytes(second, 2, int(third[0])) == RECORDED[key]
    else:
        size = int(second)
        assert 16 * 8 * attention_bytes(first, 2, size, size) == RECORDED[key]


def test_nvfp4_packs_four_bits_and_a_scale_for_sixteen() -> None:
    assert attention_bytes("nvfp4", 2, 128, 128) == 2 * (64 + 8)


@pytest.mark.parametrize(
    ("dtype", "capability", "per_token"),
    [("auto", 90, 78_324), ("fp8", 90, 48_068), ("fp8_ds_mla", 0, 48_068), ("fp8", 100, 61 * 708)],
)
def test_sparse_attention_keeps_latents_and_the_indexers_keys(
    dtype: str, capability: int, per_token: int
) -> None:
    model = find_model("deepseek-ai/DeepSeek-V3.2-Exp", {})
    made = plan(model.config, Options(kv_cache_dtype=dtype, capability=capability))
    assert made.bytes_per_token == per_token
    assert made.block_size == 64


@pytest.mark.parametrize(
    ("quantization", "expected"),
    [
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": {"num_bits": 8}}, "fp8"),
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": None}, "auto"),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": "FP8"}, "fp8_e4m3"),
        (
            {"producer": {"name": "modelopt"}, "quantization": {"kv_cache_quant_algo": "FP8"}},
            "fp8_e4m3",
        ),
        (
            {
                "quant_method": "modelopt",
                "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False},
            },
            "fp8_e4m3",
        ),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": "INT3"}, "auto"),
        ({"quant_method": "fp8"}, "auto"),
    ],
)
def test_auto_is_what_the_checkpoint_was_made_for(
    quantization: dict[str, object], expected: str
) -> None:
    config = model_config({"quantization_config": quantization}, "config.json")
    assert checkpoint_kv_dtype(config) == expected


def quantised(name: str, section: dict[str, object] | None) -> ModelConfig:
    whole = dict(find_model(name, {}).config.whole)
    if section is not None:
        whole["quantization_config"] = section
    return model_config(whole, "config.json")


@pytest.mark.parametrize(
    ("name", "section", "gigabytes"),
    [
        # Sizes of the safetensors files as the Hub lists them.
        ("Qwen/Qwen2.5-7B-Instruct", {"quant_method": "awq", "bits": 4, "group_size": 128}, 5.58),
        ("Qwen/Qwen2.5-7B-Instruct", {"quant_method": "gptq", "bits": 8, "group_size": 128}, 8.80),
        ("openai/gpt-oss-20b", None, 13.76),
        ("openai/gpt-oss-120b", None, 65.25),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", None, 31.2),
    ],
)
def test_quantised_checkpoints_are_weighed_by_their_format(
    name: str, section: dict[str, object] | None, gigabytes: float
) -> None:
    from doctor.memory.reading import Model

    config = quantised(name, section)
    found = weights_of(Model(name, "", config), plan(config, Options()))
    assert found is not None
    assert found.total / 1e9 == pytest.approx(gigabytes, rel=0.03)
