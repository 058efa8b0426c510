"""What kernels add to MXFP4 experts when they are loaded: rows and columns up to a whole tile.

The file of gpt-oss has experts of 2880 × 2880, which no tile divides. How far they are padded is
the backend's (``create_weights`` in layers/quantization/mxfp4.py@0.11.0–0.16.0,
``mxfp4_round_up_hidden_size_and_intermediate_size`` in layers/fused_moe/oracle/mxfp4.py@0.20.2–
0.33.0), and the backend follows from the GPU, and on Hopper and Blackwell from what is installed
beside vLLM: there it is a range.
"""

from __future__ import annotations

from doctor.memory.architectures.terms import hidden_size
from doctor.memory.config import ModelConfig
from doctor.memory.errors import ModelError
from doctor.memory.plan import Plan
from doctor.memory.ranges import NOTHING, Range
from doctor.memory.weights import Weights

# Tiles of a backend: of the columns that a rank has of the experts' inner size, and of the hidden
# size, 1 where it is left as it is.
_TRITON = (64, 1)
_MARLIN = (128, 256)
_TRTLLM = (128, 256)
_TRTLLM_BEFORE = (256, 256)
# 0.25.1 pads by the larger tile, 0.27.1 by the smaller.
_SMALLER_TILE = (0, 27)
_HOPPER, _BLACKWELL, _CONSUMER = 90, 100, 120


def padding_of(config: ModelConfig, made: Plan, weights: Weights) -> Range:
    """Bytes on one rank beside ``weights``; zero for what is not MXFP4."""
    if weights.scheme != "mxfp4" or not weights.expert_bytes:
        return NOTHING
    try:
        hidden = hidden_size(config)
    except ModelError:
        return NOTHING
    inner = config.optional("moe_intermediate_size", "intermediate_size")
    if not inner:
        return NOTHING
    cut = 1 if made.options.expert_parallel else made.options.tensor_parallel_size
    columns = -(-inner // cut)
    low, likely, high = (
        round(weights.expert_bytes * (_grown(columns, of) * _grown(hidden, to) - 1))
        for of, to in _tiles(made)
    )
    return Range(low, likely, max(likely, high))


def _tiles(made: Plan) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """At best, likely, at worst."""
    options = made.options
    trtllm = _TRTLLM if options.vllm_version[:2] >= _SMALLER_TILE else _TRTLLM_BEFORE
    if not options.capability:
        return _TRITON, _MARLIN, trtllm
    if options.capability < _HOPPER:
        return _MARLIN, _MARLIN, _MARLIN
    if options.capability < _BLACKWELL:
        return _TRITON, _TRITON, _MARLIN
    if options.capability < _CONSUMER:
        return _TRITON, trtllm, trtllm
    return _TRITON, _MARLIN, _MARLIN


def _grown(size: int, tile: int) -> float:
    """By how much ``size`` grows when it is filled up to whole tiles."""
    return -(-size // tile) * tile / size
