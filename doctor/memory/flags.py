"""A launch line's flags as the planner's options. They are parsed as vLLM parses them, by
``doctor.launch``; here their values become numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from doctor.memory.config import ModelConfig, model_config
from doctor.memory.errors import ModelError, OptionError
from doctor.memory.options import Options
from doctor.patterns import Pattern
from doctor.text import _
from doctor.untrusted import visible

if TYPE_CHECKING:
    from doctor.launch.model import Launch

_VERSION = Pattern(r"v?(\d+)\.(\d+)(?:\.(\d+))?")
_GIB = 1 << 30


def options_of(launch: Launch) -> Options:
    """Raises ``OptionError`` for a value that the planner cannot go by."""
    from doctor.launch.speculation import speculation

    asked = speculation(launch)
    method, tokens = asked.method or "", asked.tokens or 0
    draft: ModelConfig | None = None
    if asked.asked:
        if asked.broken:
            raise OptionError(
                _("--speculative-config: {reason}", reason=visible(asked.broken, 120))
            )
        draft = _draft(asked.model)
        method = method or ("draft_model" if asked.model else "")
        if not tokens:
            raise OptionError(_("--speculative-config names no num_speculative_tokens"))
    return Options(
        tensor_parallel_size=_ranks(launch, "--tensor-parallel-size"),
        pipeline_parallel_size=_ranks(launch, "--pipeline-parallel-size"),
        data_parallel_size=_ranks(launch, "--data-parallel-size"),
        decode_context_parallel_size=_ranks(launch, "--decode-context-parallel-size"),
        prefill_context_parallel_size=_ranks(launch, "--prefill-context-parallel-size"),
        expert_parallel=bool(launch.on("--enable-expert-parallel")),
        dtype=launch.value("--dtype") or "auto",
        kv_cache_dtype=launch.value("--kv-cache-dtype") or "auto",
        quantization=launch.value("--quantization"),
        block_size=_number(launch, "--block-size"),
        max_model_len=_length(launch),
        max_num_batched_tokens=_number(launch, "--max-num-batched-tokens"),
        max_num_seqs=_number(launch, "--max-num-seqs"),
        async_scheduling=launch.on("--async-scheduling"),
        enable_prefix_caching=launch.on("--enable-prefix-caching"),
        enforce_eager=bool(launch.on("--enforce-eager")),
        disable_hybrid_kv_cache_manager=bool(launch.on("--disable-hybrid-kv-cache-manager")),
        disable_sliding_window=bool(launch.on("--disable-sliding-window")),
        gpu_memory_utilization=_fraction(launch, "--gpu-memory-utilization"),
        kv_cache_memory_bytes=_number(launch, "--kv-cache-memory-bytes"),
        num_gpu_blocks_override=_number(launch, "--num-gpu-blocks-override"),
        cpu_offload_bytes=round((launch.fraction("--cpu-offload-gb") or 0) * _GIB),
        mamba_cache_dtype=launch.value("--mamba-cache-dtype") or "auto",
        mamba_ssm_cache_dtype=launch.value("--mamba-ssm-cache-dtype") or "auto",
        speculative_tokens=tokens,
        speculative_method=method,
        draft=draft,
        partition=partition_of(launch.variable("VLLM_PP_LAYER_PARTITION")),
        vllm_version=version_of(launch.version.text),
    )


def overridden(config: ModelConfig, launch: Launch) -> ModelConfig:
    """The configuration with ``--hf-overrides`` put in. Raises ``OptionError``."""
    text = launch.value("--hf-overrides")
    if text is None:
        return config
    try:
        changes = json.loads(text)
    except (ValueError, RecursionError):
        changes = None
    if not isinstance(changes, dict):
        raise OptionError(_("--hf-overrides is no JSON object"))
    try:
        return model_config(_merged(config.whole, changes), config.place)
    except ModelError as error:
        raise OptionError(str(error)) from None


def version_of(text: str) -> tuple[int, ...]:
    """``v0.11.2`` as numbers. Raises ``OptionError``."""
    match = _VERSION.match(text)
    if match is None:
        raise OptionError(_("{text} is no version of vLLM", text=visible(text, 60)))
    return tuple(int(part or 0) for part in match.groups())


def _merged(old: Any, changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in changes.items():
        inner = merged.get(key)
        nested = isinstance(value, dict) and isinstance(inner, dict)
        merged[key] = _merged(inner, value) if nested else value
    return merged


def _draft(name: str | None) -> ModelConfig | None:
    from doctor.memory.reading import find_model

    if name is None:
        return None
    try:
        return find_model(name).config
    except ModelError:
        return None


def _ranks(launch: Launch, flag: str) -> int:
    value = _number(launch, flag)
    if value is None:
        return 1
    if not 1 <= value <= 4096:
        raise OptionError(_("{flag} {value}: at least 1", flag=flag, value=value))
    return value


def _number(launch: Launch, flag: str) -> int | None:
    value = launch.number(flag)
    if value is None:
        return None
    if not 1 <= value <= 1 << 53:
        raise OptionError(_("{flag} {value}: at least 1", flag=flag, value=value))
    return value


def _length(launch: Launch) -> int | None:
    value = launch.number("--max-model-len")
    return value if value in (None, -1) else _number(launch, "--max-model-len")


def _fraction(launch: Launch, flag: str) -> float | None:
    value = launch.fraction(flag)
    if value is not None and not 0 < value <= 1:
        raise OptionError(_("{flag} {value}: above 0 and at most 1", flag=flag, value=f"{value:g}"))
    return value


def partition_of(text: str | None) -> tuple[int, ...]:
    """Layers of each stage, as VLLM_PP_LAYER_PARTITION has them. Raises ``OptionError``."""
    if not text:
        return ()
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            _("VLLM_PP_LAYER_PARTITION {value}: numbers joined by commas", value=visible(text, 60))
        ) from None
