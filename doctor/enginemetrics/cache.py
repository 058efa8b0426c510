"""The engine's own account of its KV cache: the labels of ``cache_config_info``.

They are the attributes of vLLM's CacheConfig as text (facts/vllm.md §3.2), so what a version does
not have is not there, and "None" stands for what is not set.
"""

from __future__ import annotations

from doctor.facts.engine import EngineSeries
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """None is "not told", or not set. Sizes in tokens, blocks and bytes.

    ``alignment`` is the number of tokens in whose multiples prompts are found again, ``override``
    the number of blocks that ``--num-gpu-blocks-override`` sets.
    """

    block_size: int | None
    alignment: int | None
    num_blocks: int | None
    tokens: int | None
    prefix_caching: bool | None
    attention_free: bool
    utilization: float | None
    kv_bytes: int | None
    dtype: str | None
    override: int | None

    @property
    def sized_by_bytes(self) -> bool:
        """Whether ``--kv-cache-memory-bytes`` decides, and ``--gpu-memory-utilization`` not."""
        return self.kv_bytes is not None


def cache_of(series: EngineSeries) -> CacheConfig:
    """Never raises: what makes no sense is as if it were not there."""
    labels = series.cache
    block = _count(labels, "block_size")
    blocks = _count(labels, "num_gpu_blocks")
    tokens = _count(labels, "kv_cache_size_tokens")
    if tokens is None and block is not None and blocks is not None:
        # Before 0.24.0; true for models with one kind of attention, too much for the others.
        tokens = block * blocks
    return CacheConfig(
        block_size=block,
        alignment=_count(labels, "cache_hit_alignment_tokens") or block,
        num_blocks=blocks,
        tokens=tokens,
        prefix_caching=_flag(labels, "enable_prefix_caching"),
        attention_free=_flag(labels, "is_attention_free") is True,
        utilization=_share(labels, "gpu_memory_utilization"),
        kv_bytes=_count(labels, "kv_cache_memory_bytes"),
        dtype=labels.get("cache_dtype"),
        override=_count(labels, "num_gpu_blocks_override"),
    )


def _count(labels: dict[str, str], name: str) -> int | None:
    text = labels.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 and int(text) else None


def _flag(labels: dict[str, str], name: str) -> bool | None:
    return {"True": True, "False": False}.get(labels.get(name, ""))


def _share(labels: dict[str, str], name: str) -> float | None:
    try:
        value = float(labels.get(name, ""))
    except ValueError:
        return None
    return value if 0 < value <= 1 else None
