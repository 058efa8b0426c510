"""vLLM's defaults that depend on the GPU and the model (``engine/arg_utils.py`` of 0.32.0)."""

from __future__ import annotations

from doctor.memory import versions
from doctor.memory.architectures.terms import Shape
from doctor.memory.options import Options

GIB = 1 << 30
_SEQS, _MANY_SEQS = 256, 1024


def large_gpu(options: Options) -> bool:
    """70 GiB and more, an A100 excepted."""
    name = options.gpu_name.lower()
    small = "a100" in name or ("gb10" in name and versions.gb10_is_small(options))
    return options.gpu_memory >= 70 * GIB and not small


def sequences(options: Options) -> int:
    """``max_num_seqs``."""
    if options.max_num_seqs is not None:
        return options.max_num_seqs
    return _MANY_SEQS if large_gpu(options) or options.gpu_memory >= 160 * GIB else _SEQS


def batched_tokens(options: Options, length: int, shape: Shape) -> int:
    """``max_num_batched_tokens`` of a server."""
    if options.max_num_batched_tokens is not None:
        return options.max_num_batched_tokens
    tokens = 8_192 if large_gpu(options) else 2_048
    if options.gpu_memory >= 160 * GIB:
        tokens = 16_384
    return min(sequences(options) * length, tokens)


def in_flight(options: Options, batched: int) -> int:
    """Tokens that may be scheduled and not settled: one batch per concurrent step."""
    stages = options.pipeline_parallel_size
    if not versions.counts_batches_in_flight(options):
        return batched
    asynchronous = options.async_scheduling
    if asynchronous is None:
        asynchronous = True
    return (stages + 1 if asynchronous else stages) * batched


def preferred_block(options: Options, shape: Shape) -> int | None:
    """``--block-size``, else the one the attention backend of a named GPU prefers."""
    if options.block_size is not None:
        return options.block_size
    if any(layer.spec.role == "indexer" for layer in shape.layers):
        return 64  # the indexer's and FlashMLA's kernels take nothing else
    if shape.latent and 100 <= options.capability < 110:
        return 32  # FlashInfer's MLA kernels on Blackwell
    return None
