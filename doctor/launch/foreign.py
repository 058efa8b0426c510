"""Flags of other inference servers and of request bodies, and what vLLM has for them.

From the servers' own command line references; names that vLLM has as well are left out.
"""

from __future__ import annotations

from doctor.records import dataclass

# Stands for the positional model.
MODEL = "MODEL"


@dataclass(frozen=True, slots=True)
class Foreign:
    """``server`` is whose flag it is, "" for a name that is only misremembered; ``flag`` is
    vLLM's, None where vLLM has or needs none."""

    server: str
    flag: str | None


_SGLANG: dict[str, str | None] = {
    "--model-path": MODEL,
    "--tokenizer-path": "--tokenizer",
    "--tp": "--tensor-parallel-size",
    "--tp-size": "--tensor-parallel-size",
    "--dp": "--data-parallel-size",
    "--dp-size": "--data-parallel-size",
    "--pp-size": "--pipeline-parallel-size",
    "--ep-size": None,
    "--mem-fraction-static": "--gpu-memory-utilization",
    "--context-length": "--max-model-len",
    "--max-running-requests": "--max-num-seqs",
    "--max-prefill-tokens": "--max-num-batched-tokens",
    "--chunked-prefill-size": "--max-num-batched-tokens",
    "--disable-radix-cache": "--no-enable-prefix-caching",
    "--schedule-policy": None,
    "--schedule-conservativeness": None,
    "--cuda-graph-max-bs": "--max-cudagraph-capture-size",
    "--disable-cuda-graph": "--enforce-eager",
    "--enable-metrics": None,
    "--log-requests": "--enable-log-requests",
    "--enable-torch-compile": None,
    "--sampling-backend": None,
    "--nccl-init-addr": None,
    "--dist-init-addr": None,
    "--page-size": "--block-size",
    "--attention-reduce-in-fp32": None,
    "--speculative-algorithm": None,
    "--speculative-num-steps": None,
    "--speculative-eagle-topk": None,
    "--speculative-num-draft-tokens": None,
    "--grammar-backend": None,
}
_TGI: dict[str, str | None] = {
    "--model-id": MODEL,
    "--num-shard": "--tensor-parallel-size",
    "--sharded": None,
    "--quantize": "--quantization",
    "--max-input-length": None,
    "--max-input-tokens": None,
    "--max-total-tokens": "--max-model-len",
    "--max-batch-prefill-tokens": "--max-num-batched-tokens",
    "--max-batch-total-tokens": None,
    "--max-concurrent-requests": "--max-num-seqs",
    "--max-waiting-tokens": None,
    "--waiting-served-ratio": None,
    "--cuda-memory-fraction": "--gpu-memory-utilization",
    "--hostname": "--host",
    "--json-output": None,
    "--huggingface-hub-cache": "--download-dir",
}
_LLAMA_CPP: dict[str, str | None] = {
    "--ctx-size": "--max-model-len",
    "-c": "--max-model-len",
    "-m": MODEL,
    "-ngl": None,
    "--n-gpu-layers": None,
    "--gpu-layers": None,
    "--parallel": "--max-num-seqs",
    "--batch-size": "--max-num-batched-tokens",
    "--ubatch-size": None,
    "--flash-attn": None,
    "-fa": None,
    "--cache-type-k": "--kv-cache-dtype",
    "--cache-type-v": None,
    "--threads": None,
    "-t": None,
    "--mlock": None,
    "--no-mmap": None,
    "--alias": "--served-model-name",
    "--chat-template-file": "--chat-template",
    "--jinja": None,
    "--hf-repo": MODEL,
    "--hf-file": None,
    "--cont-batching": None,
    "--model-draft": None,
    "--draft-max": None,
    "--tensor-split": None,
    "--split-mode": None,
}
_LMDEPLOY: dict[str, str | None] = {
    "--session-len": "--max-model-len",
    "--cache-max-entry-count": None,
    "--server-port": "--port",
    "--server-name": "--host",
    "--max-batch-size": "--max-num-seqs",
    "--model-format": "--quantization",
    "--quant-policy": None,
    "--backend": None,
    "--cache-block-seq-len": "--block-size",
    "--max-prefill-token-num": "--max-num-batched-tokens",
}
_TENSORRT: dict[str, str | None] = {
    "--max_batch_size": "--max-num-seqs",
    "--max_num_tokens": "--max-num-batched-tokens",
    "--max_seq_len": "--max-model-len",
    "--kv_cache_free_gpu_memory_fraction": "--gpu-memory-utilization",
    "--tp_size": "--tensor-parallel-size",
}
_MISREMEMBERED: dict[str, str | None] = {
    "--gpu-memory": "--gpu-memory-utilization",
    "--gpu-memory-fraction": "--gpu-memory-utilization",
    "--max-length": "--max-model-len",
    "--max-seq-len": "--max-model-len",
    "--max-sequence-length": "--max-model-len",
    "--max-context-len": "--max-model-len",
    "--context-len": "--max-model-len",
    "--num-gpus": "--tensor-parallel-size",
    "--num-gpu": "--tensor-parallel-size",
    "--model-name": "--served-model-name",
    "--model-alias": "--served-model-name",
    "--max-concurrency": "--max-num-seqs",
    "--max-concurrent-seqs": "--max-num-seqs",
    "--kv-cache-type": "--kv-cache-dtype",
    "--enable-continuous-batching": None,
    "--enable-paged-attention": None,
    "--enable-flash-attention": None,
    "--enable-kv-cache": None,
    "--use-flash-attn": None,
}
_REQUEST = (
    *("--max-tokens", "--temperature", "--top-p", "--top-k", "--stop", "--stream"),
    *("--presence-penalty", "--frequency-penalty", "--repetition-penalty", "--n-predict"),
)
REQUEST = "a request"
_ALL: tuple[tuple[str, dict[str, str | None]], ...] = (
    ("", _MISREMEMBERED),
    ("SGLang", _SGLANG),
    ("Text Generation Inference", _TGI),
    ("llama.cpp", _LLAMA_CPP),
    ("LMDeploy", _LMDEPLOY),
    ("TensorRT-LLM", _TENSORRT),
)


def foreign(name: str) -> Foreign | None:
    """Of a flag that vLLM never had. ``name`` as it was written."""
    hyphened = name[:2] + name[2:].replace("_", "-")
    if hyphened in _REQUEST:
        return Foreign(REQUEST, None)
    for server, flags in _ALL:
        for spelled in (name, hyphened):
            if spelled in flags:
                return Foreign(server, flags[spelled])
    return None


def known_of(server: str) -> frozenset[str]:
    """The flags of a server that are told here; there are more."""
    return frozenset(next((flags for name, flags in _ALL if name == server), {}))
