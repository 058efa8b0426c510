"""What a GPU leaves for the KV cache (facts/vllm.md §4.5).

Weights and the share that vLLM may use are known; activations, CUDA graphs and libraries are
measured by vLLM at start, so here they are a range, and everything that follows from it is an
estimate and says so.
"""

from __future__ import annotations

import math

from doctor.memory import versions
from doctor.memory.architectures.terms import hidden_size
from doctor.memory.config import ModelConfig
from doctor.memory.defaults import sequences
from doctor.memory.errors import ModelError
from doctor.memory.padding import padding_of
from doctor.memory.parameters import dense_size, expert_count
from doctor.memory.plan import Plan
from doctor.memory.ranges import NOTHING, Range
from doctor.memory.weights import Weights
from doctor.records import dataclass

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes of one GPU. ``requested`` is total × utilization; ``padding`` is what the kernels add
    to the weights; it, ``activations``, ``graphs`` and ``libraries`` are estimates; ``available``
    is what is left for the KV cache, which may be below zero."""

    total: int
    utilization: float
    requested: int
    weights: int
    padding: Range
    activations: Range
    graphs: Range
    libraries: Range
    available: Range


def budget_of(config: ModelConfig, made: Plan, weights: Weights, total: int) -> Budget:
    """The share of one GPU, ``total`` bytes large."""
    options = made.options
    utilization = options.gpu_memory_utilization
    if utilization is None:
        utilization = versions.default_utilization(options)
    requested = math.ceil(total * utilization)
    held = max(0, weights.per_rank - options.cpu_offload_bytes)
    activations = _activations(config, made)
    graphs = _graphs(made)
    libraries = _libraries(made)
    padding = padding_of(config, made, weights)
    parts = (padding, activations, graphs, libraries)
    available = Range(
        low=requested - held - sum(part.high for part in parts),
        likely=requested - held - sum(part.likely for part in parts),
        high=requested - held - sum(part.low for part in parts),
    )
    return Budget(
        total, utilization, requested, held, padding, activations, graphs, libraries, available
    )


def _activations(config: ModelConfig, made: Plan) -> Range:
    """The peak of the profile run: one full batch through a layer, and the sampler's logits.

    A batch of max_num_batched_tokens holds the residual stream, the projections and the
    feed-forward part's gate and up halves; the sampler holds float32 logits of max_num_seqs rows
    and a sorted copy.
    """
    tp = made.options.tensor_parallel_size
    hidden = hidden_size(config)
    inner = _feed_forward(config) // tp
    tokens = made.batched_tokens
    batch = tokens * (4 * hidden + 3 * inner) * 2
    words = config.optional("vocab_size", "padded_vocab_size") or 32_000
    rows = min(sequences(made.options), tokens)
    logits = rows * words * 4
    return Range(
        batch // 2 + logits, batch + 2 * logits + 64 * MIB, 2 * batch + 4 * logits + 512 * MIB
    )


def _feed_forward(config: ModelConfig) -> int:
    """Columns of the widest feed-forward part that a token passes at once."""
    try:
        if expert_count(config):
            chosen = config.optional("num_experts_per_tok", "moe_k", "num_experts_per_token") or 1
            inner = config.optional("moe_intermediate_size", "intermediate_size") or 0
            return chosen * (inner + hidden_size(config))
        return dense_size(config, 0)
    except ModelError:
        return 4 * hidden_size(config)


def _graphs(made: Plan) -> Range:
    """CUDA graphs; vLLM takes them off the cache's share from 0.20 on, before they came on top."""
    if made.options.enforce_eager or not versions.reserves_graphs(made.options):
        return NOTHING
    layer = 6 * MIB
    likely = 128 * MIB + made.layer_count * layer
    return Range(64 * MIB, likely, 2 * likely + 512 * MIB)


def _libraries(made: Plan) -> Range:
    """What NCCL, cuBLAS and the attention kernels' workspaces take."""
    if made.options.world > 1:
        return Range(256 * MIB, 640 * MIB, 1536 * MIB)
    return Range(64 * MIB, 256 * MIB, 768 * MIB)
