"""The window that vLLM derives from a config.json (``_get_and_verify_max_len`` of 0.32.0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doctor.memory.config import ModelConfig

# In the order in which vLLM looks for them; the least of them all is the limit
# (vllm/transformers_utils/model_arch_config_convertor.py@0.32.0).
FIELDS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
# Rope types whose maximum is already the scaled one.
_SCALED = frozenset({"su", "longrope", "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling"})
_DEFAULT = 2048


def model_length(config: ModelConfig) -> int:
    """The longest request that the model is made for, in tokens."""
    known = [value for name in FIELDS if (value := config.optional(name)) is not None]
    length = min(known, default=_DEFAULT)
    if trained := config.optional("model_max_length"):
        length = trained
    scale = 1.0
    if "gemma3" not in str(config.whole.get("model_type", "")):
        for rope in _ropes(config):
            kind = rope.get("rope_type", rope.get("type", "default"))
            factor = rope.get("factor")
            if kind not in _SCALED and isinstance(factor, int | float) and 0 < factor < 1e6:
                scale = float(factor)
    return max(1, int(length * scale))


def default_length(config: ModelConfig) -> int:
    """``max_model_len`` where none is given: the model's own, except for LongRoPE."""
    kinds = {rope.get("rope_type", rope.get("type")) for rope in _ropes(config)}
    if "longrope" in kinds or "su" in kinds:
        return config.optional("original_max_position_embeddings", low=1) or model_length(config)
    return model_length(config)


def _ropes(config: ModelConfig) -> Iterator[Mapping[str, Any]]:
    """The rope parameters, of which some models have one set per layer type."""
    value = config.find("rope_parameters", "rope_scaling")
    if not isinstance(value, dict):
        return
    nested = [one for one in value.values() if isinstance(one, dict)]
    yield from nested or [value]
