"""What one layer keeps per block: vLLM's KV-cache specs (facts/vllm.md §4.2).

Names are vLLM's own (``v1/kv_cache_interface.py`` of 0.32.0). Sizes are bytes per rank.
"""

from __future__ import annotations

import enum
from dataclasses import replace

from doctor.records import dataclass

__all__ = ["Kind", "Need", "Spec", "ceil_div", "replace"]


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


class Kind(enum.StrEnum):
    FULL = "FullAttentionSpec"
    SLIDING = "SlidingWindowSpec"
    CHUNKED = "ChunkedLocalAttentionSpec"
    MLA = "MLAAttentionSpec"
    SINK = "SinkFullAttentionSpec"
    MAMBA = "MambaSpec"
    CROSS = "CrossAttentionSpec"


FULL_KINDS = frozenset({Kind.FULL, Kind.MLA, Kind.SINK})


@dataclass(frozen=True, slots=True)
class Need:
    """What a request of full length is measured with.

    ``length`` is max_model_len; ``in_flight`` how many scheduled tokens may not be settled yet
    (``VllmConfig.max_in_flight_tokens``); ``shards`` is decode-context-parallel size;
    ``encoder`` the encoder's tokens for cross attention; ``states`` how many blocks one state
    takes, speculative ones aside; ``speculative`` the drafted tokens.
    """

    length: int
    in_flight: int
    shards: int = 1
    encoder: int = 0
    align: bool = True
    speculative: int = 0
    retained: int = 0


@dataclass(frozen=True, slots=True)
class Spec:
    """``per_state`` is the bytes of one token in this layer (all KV heads of the rank, K and V);
    for Mamba the bytes of the whole state. ``span`` is the window or the chunk, in tokens.
    ``heads`` and ``role`` only tell apart what vLLM would not merge; ``checkpoint`` is a Mamba2
    mixer's extra block."""

    kind: Kind
    block_size: int
    per_state: int
    span: int = 0
    heads: int = 1
    role: str = ""
    padded: int = 0
    checkpoint: int = 0

    @property
    def page(self) -> int:
        """Bytes of one block of this layer."""
        if self.padded:
            return self.padded
        return self.per_state if self.kind is Kind.MAMBA else self.per_state * self.block_size

    def pages_for(self, need: Need) -> int:
        """Blocks of this layer that one request of full length holds (facts/vllm.md §4.4)."""
        size = self.block_size
        match self.kind:
            case Kind.FULL | Kind.MLA | Kind.SINK:
                return ceil_div(ceil_div(need.length, need.shards), size)
            case Kind.SLIDING:
                held = self.span - 1 + need.retained + need.in_flight
                # One more, since a window need not begin where a block does.
                return ceil_div(min(held, need.length), size) + 1
            case Kind.CHUNKED:
                return ceil_div(min(self.span + need.in_flight, need.length), size)
            case Kind.MAMBA:
                if need.align:
                    return 2 + need.speculative + self.checkpoint
                return 1 + need.speculative
            case Kind.CROSS:
                return ceil_div(need.encoder, size)


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer that keeps something; ``index`` is its decoder layer, which decides the stage."""

    index: int
    spec: Spec
