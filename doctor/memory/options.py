"""What a plan is made for; the fields are named as vLLM's flags are."""

from __future__ import annotations

from doctor.memory.config import ModelConfig
from doctor.records import dataclass

RULES_OF = "0.32.0"


@dataclass(frozen=True, slots=True)
class Options:
    """``None`` is vLLM's own default. Sizes are in bytes and tokens.

    ``available`` is what a rank has for its KV cache where that is known otherwise than by
    ``kv_cache_memory_bytes``; ``capability`` the GPU's compute capability times ten, 0 where no
    GPU is named; ``partition`` is VLLM_PP_LAYER_PARTITION.
    """

    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    data_parallel_size: int = 1
    decode_context_parallel_size: int = 1
    prefill_context_parallel_size: int = 1
    expert_parallel: bool = False
    dtype: str = "auto"
    kv_cache_dtype: str = "auto"
    quantization: str | None = None
    block_size: int | None = None
    max_model_len: int | None = None
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    async_scheduling: bool | None = None
    enable_prefix_caching: bool | None = None
    enforce_eager: bool = False
    disable_hybrid_kv_cache_manager: bool = False
    disable_sliding_window: bool = False
    gpu_memory_utilization: float | None = None
    kv_cache_memory_bytes: int | None = None
    num_gpu_blocks_override: int | None = None
    cpu_offload_bytes: int = 0
    mamba_cache_dtype: str = "auto"
    mamba_ssm_cache_dtype: str = "auto"
    speculative_tokens: int = 0
    speculative_method: str = ""
    draft: ModelConfig | None = None
    partition: tuple[int, ...] = ()
    vllm_version: tuple[int, ...] = (0, 32, 0)
    capability: int = 0
    gpu_memory: int = 0
    gpu_name: str = ""
    available: int | None = None

    @property
    def world(self) -> int:
        """GPUs of one engine."""
        return self.tensor_parallel_size * self.pipeline_parallel_size

    @property
    def version(self) -> str:
        return ".".join(map(str, self.vllm_version))
