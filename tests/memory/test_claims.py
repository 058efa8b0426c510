"""Figures that guides in circulation state wrongly, and defaults that have moved."""

from __future__ import annotations

import pytest

from doctor.memory import Options, Plan, model_config, plan
from doctor.memory.budget import budget_of
from doctor.memory.defaults import sequences
from doctor.memory.gpus import named
from doctor.memory.planner import with_memory
from doctor.memory.reading import find_model
from doctor.memory.weights import weights_of

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def planned(name: str, **options: object) -> Plan:
    return plan(find_model(name, {}).config, Options(**options))  # type: ignore[arg-type]


def test_a_70b_llama_takes_320_kib_per_token_and_not_megabytes() -> None:
    made = planned("meta-llama/Llama-2-70b-hf")
    assert made.bytes_per_token == 327_680 == 320 * KIB


def test_2048_of_its_tokens_take_640_mib_and_sixteen_such_requests_10_gib() -> None:
    made = planned("meta-llama/Llama-2-70b-hf")
    assert made.bytes_for(2048) == 640 * MIB
    assert 16 * made.bytes_for(2048) == 10 * GIB


def test_its_weights_are_138_gb_in_16_bits_and_far_more_than_the_cache_of_a_request() -> None:
    model = find_model("meta-llama/Llama-2-70b-hf", {})
    made = plan(model.config, Options())
    weights = weights_of(model, made)
    assert weights is not None
    assert weights.total == pytest.approx(137.95e9, rel=1e-3)
    assert weights.total > 100 * made.bytes_for(4096)


def test_without_grouped_queries_the_same_shape_would_take_eight_times_as_much() -> None:
    grouped = planned("meta-llama/Llama-2-70b-hf")
    # 2 × 80 layers × 64 heads × 128 × 2 bytes, which is what the formula by heads gives.
    assert grouped.bytes_per_token * 8 == 2_621_440


def test_a_7b_llama_takes_512_kib_per_token_and_1_gib_for_2048() -> None:
    made = planned("meta-llama/Llama-2-7b-hf")
    assert made.bytes_per_token == 512 * KIB
    assert made.bytes_for(2048) == GIB


def test_a_7b_qwen_takes_a_ninth_of_that() -> None:
    assert planned("Qwen/Qwen2-7B-Instruct").bytes_per_token == 56 * KIB


@pytest.mark.parametrize(
    ("gpu", "seqs", "batched"),
    [("L40S", 256, 2048), ("A100 80GB", 256, 2048), ("H100", 1024, 8192), ("B200", 1024, 16384)],
)
def test_defaults_depend_on_the_gpu(gpu: str, seqs: int, batched: int) -> None:
    card = named(gpu)
    options = Options(gpu_memory=card.total, gpu_name=card.name, capability=card.capability)
    assert sequences(options) == seqs
    assert (
        planned("Qwen/Qwen3-8B", gpu_memory=card.total, gpu_name=card.name).batched_tokens
        == batched
    )


@pytest.mark.parametrize(
    ("version", "share"), [((0, 19, 1), 0.9), ((0, 20, 0), 0.92), ((0, 32, 0), 0.92)]
)
def test_the_share_that_is_used_by_default(version: tuple[int, ...], share: float) -> None:
    model = find_model("Qwen/Qwen3-8B", {})
    made = plan(model.config, Options(vllm_version=version))
    weights = weights_of(model, made)
    assert weights is not None
    assert budget_of(model.config, made, weights, 80 * GIB).utilization == share


def test_the_window_reserves_nothing() -> None:
    long, short = (
        planned("Qwen/Qwen3-8B", max_model_len=n, available=8 * GIB) for n in (40960, 4096)
    )
    assert long.num_blocks == short.num_blocks
    assert long.tokens == pytest.approx(short.tokens, rel=1e-3)


def test_windowed_layers_are_counted_by_their_window_from_0_9_1_on() -> None:
    old = planned("google/gemma-2-9b-it", vllm_version=(0, 9, 0), available=64 * GIB)
    new = planned("google/gemma-2-9b-it", vllm_version=(0, 10, 2), available=64 * GIB)
    assert old.bytes_for_one_request > new.bytes_for_one_request


@pytest.mark.parametrize(
    ("version", "tokens"),
    # int(concurrency × length); then blocks by groups × 16.
    [((0, 32, 0), 228_006), ((0, 20, 1), 228_006), ((0, 20, 0), 199_728), ((0, 9, 1), 199_728)],
)
def test_the_logged_size_follows_the_versions_own_formula(
    version: tuple[int, ...], tokens: int
) -> None:
    made = planned(
        "google/gemma-2-9b-it",
        vllm_version=version,
        available=64 * GIB,
        max_num_batched_tokens=2048,
        async_scheduling=False,
    )
    assert made.tokens == tokens


def test_before_0_26_one_batch_counts_for_a_window_whatever_the_scheduler() -> None:
    old, new = (
        planned("mistralai/Mistral-7B-v0.1", vllm_version=version, max_num_batched_tokens=2048)
        for version in ((0, 25, 0), (0, 26, 0))
    )
    assert (old.need.in_flight, new.need.in_flight) == (2048, 4096)


def test_the_log_line_of_a_real_server_on_a_cpu_is_what_is_planned() -> None:
    # facts/observed/vllm-0.32.0-startup-cpu.log: 512 bytes a token, 1 GiB, a window of 256.
    tiny = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2,
        "hidden_size": 128, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 64,
        "vocab_size": 1000, "max_position_embeddings": 256, "torch_dtype": "bfloat16",
    }  # fmt: skip
    config = model_config(tiny, "config.json")
    made = with_memory(plan(config, Options(block_size=128)), GIB)
    assert made.bytes_per_token == 512
    assert f"{made.tokens:,}" == "2,097,152"
    assert made.max_concurrency == 8192.0


def test_one_block_is_kept_back_from_0_29_on() -> None:
    fits = [
        planned(
            "meta-llama/Llama-3.1-8B", vllm_version=version, available=16 * GIB
        ).one_request_fits
        for version in ((0, 28, 0), (0, 29, 0))
    ]
    assert fits == [True, False]


def test_groups_are_made_as_large_as_the_larger_kind_from_0_12_and_0_18_on() -> None:
    # 12 windowed and 13 full layers (1.08), 12 and 16 (1.33).
    def sizes(full: int, version: tuple[int, ...]) -> list[int]:
        types = ["sliding_attention"] * 12 + ["full_attention"] * full
        row = {**find_model("google/gemma-2-2b-it", {}).config.whole, "layer_types": types}
        config = model_config({**row, "num_hidden_layers": len(types)}, "config.json")
        return [len(g.layers) for g in plan(config, Options(vllm_version=version)).groups]

    assert sizes(13, (0, 11, 2)) == [12, 7, 6]
    assert sizes(13, (0, 12, 0)) == [12, 13]
    assert sizes(16, (0, 17, 1)) == [12, 8, 8]
    assert sizes(16, (0, 18, 0)) == [12, 16]


def test_a_mamba2_layer_holds_a_checkpoint_from_0_29_on() -> None:
    old, new = (
        planned("nvidia/Nemotron-H-8B-Base-8K", vllm_version=version).blocks_for_one_request
        for version in ((0, 28, 0), (0, 29, 0))
    )
    assert new - old == 6  # one for each group of states
