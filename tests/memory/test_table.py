"""The bundled models: their fields give the parameter counts that their makers publish."""

from __future__ import annotations

import pytest

from doctor.memory import Options, model_config, plan
from doctor.memory.parameters import count_parameters
from doctor.memory.reading import find_model, known_models, table

# Billions of parameters as published, weights of MTP modules aside.
PUBLISHED = {
    "meta-llama/Llama-2-7b-hf": 6.74, "meta-llama/Llama-2-13b-hf": 13.02,
    "meta-llama/Llama-2-70b-hf": 68.98, "meta-llama/Llama-3.1-8B": 8.03,
    "meta-llama/Llama-3.1-70B": 70.55, "meta-llama/Llama-3.1-405B": 405.85,
    "meta-llama/Llama-3.2-1B": 1.236, "meta-llama/Llama-3.2-3B": 3.213,
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": 108.6,
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": 1.10, "01-ai/Yi-34B": 34.39,
    "deepseek-ai/deepseek-coder-33b-instruct": 33.34, "internlm/internlm3-8b-instruct": 8.80,
    "internlm/internlm2_5-7b-chat": 7.74, "Qwen/Qwen2.5-0.5B-Instruct": 0.494,
    "Qwen/Qwen2.5-7B-Instruct": 7.616, "Qwen/Qwen2.5-72B-Instruct": 72.71,
    "Qwen/Qwen3-8B": 8.19, "Qwen/Qwen3-32B": 32.76, "Qwen/Qwen3-30B-A3B": 30.53,
    "Qwen/Qwen3-235B-A22B": 235.1, "Qwen/Qwen3-Coder-480B-A35B-Instruct": 480.2,
    "Qwen/Qwen3-Next-80B-A3B-Instruct": 79.7, "mistralai/Mistral-7B-v0.1": 7.24,
    "mistralai/Mixtral-8x7B-Instruct-v0.1": 46.7, "mistralai/Mixtral-8x22B-Instruct-v0.1": 140.6,
    "mistralai/Mistral-Nemo-Instruct-2407": 12.25, "mistralai/Mistral-Large-Instruct-2407": 122.6,
    "deepseek-ai/DeepSeek-V2-Lite": 15.71, "deepseek-ai/DeepSeek-V2": 235.7,
    "deepseek-ai/DeepSeek-V3": 671.0, "moonshotai/Kimi-K2-Instruct": 1026.0,
    "google/gemma-7b": 8.54, "google/gemma-2-9b-it": 9.24, "google/gemma-2-27b-it": 27.23,
    "google/gemma-3-1b-it": 1.0, "google/gemma-3-4b-it": 4.3, "google/gemma-3-27b-it": 27.4,
    "openai/gpt-oss-20b": 20.9, "openai/gpt-oss-120b": 116.8, "microsoft/phi-4": 14.66,
    "microsoft/Phi-3-mini-4k-instruct": 3.82, "zai-org/GLM-4-9B-0414": 9.40,
    "zai-org/GLM-4.5-Air": 106.9, "tiiuae/Falcon-H1-7B-Instruct": 7.59,
    "ibm-granite/granite-4.0-h-small": 32.2, "nvidia/Nemotron-H-8B-Base-8K": 8.10,
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2": 8.89,
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 31.6, "ai21labs/Jamba-v0.1": 51.57,
    "ai21labs/AI21-Jamba-1.5-Large": 398.6, "LiquidAI/LFM2-1.2B": 1.17,
    "CohereLabs/c4ai-command-r-v01": 35.0, "CohereLabs/c4ai-command-r7b-12-2024": 8.03,
    "allenai/OLMo-2-1124-7B-Instruct": 7.30, "allenai/OLMoE-1B-7B-0924": 6.92,
    "bigcode/starcoder2-7b": 7.17, "bigcode/starcoder2-15b": 15.96,
    "ByteDance-Seed/Seed-OSS-36B-Instruct": 36.15, "baidu/ERNIE-4.5-21B-A3B-PT": 21.83,
    "MiniMaxAI/MiniMax-M2": 228.7, "LGAI-EXAONE/EXAONE-4.0-32B": 32.0,
    "HuggingFaceTB/SmolLM3-3B": 3.075, "databricks/dbrx-instruct": 131.6,
    "tiiuae/falcon-40b": 41.3, "facebook/opt-125m": 0.125, "bigscience/bloom-7b1": 7.07,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_model_has_the_parameters_that_it_is_published_with(name: str) -> None:
    counted = count_parameters(find_model(name, {}).config).total / 1e9
    assert counted == pytest.approx(PUBLISHED[name], rel=0.012)


@pytest.mark.parametrize("row", table(), ids=lambda row: str(row["id"]))
def test_every_row_is_planned_and_says_where_it_comes_from(row: dict[str, object]) -> None:
    made = plan(model_config(row["config"], str(row["id"])), Options())
    assert made.bytes_for_one_request > 0
    assert row["source"]


def test_ids_are_unique_and_aliases_lead_to_one_row() -> None:
    ids = [row["id"].lower() for row in table()]
    assert len(set(ids)) == len(ids)
    for row in table():
        for alias in row["aliases"]:
            assert known_models()[alias.lower()]["id"] == row["id"]
