"""Launch lines, right and wrong, and what the real vLLM 0.32.0 says of each.

``vllm_verdicts.json`` holds vLLM's answers in the order of ``MATRIX``; tests/live asks again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doctor.launch import examine

VERSION = "0.32.0"
RECORDED = Path(__file__).with_name("vllm_verdicts.json")
MODEL = "MODEL"


@dataclass(frozen=True)
class Line:
    """The words behind ``vllm``. ``config``: the engine's configuration is made of them as well;
    ``MODEL`` is then the tiny model."""

    words: str | tuple[str, ...]
    config: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(self.words.split()) if isinstance(self.words, str) else self.words


SPECULATION = '{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 4}'
MATRIX = [
    # right
    Line("serve MODEL"),
    Line("serve MODEL --port 8000 --host 127.0.0.1"),
    Line("serve --port 8000 MODEL"),
    Line("serve --enforce-eager MODEL --port 8000"),
    Line("serve --model MODEL --port 8000"),
    Line("serve --model=MODEL"),
    Line("serve MODEL --max_num_seqs 4"),
    Line("serve MODEL --max-num-seq 4"),
    Line("serve MODEL --tensor-parallel 1"),
    Line("serve MODEL -tp 1 -pp 1"),
    Line("serve MODEL -tp=1"),
    Line("serve MODEL -q fp8"),
    Line("serve MODEL --max-model-len 32k"),
    Line("serve MODEL --max-model-len 32K"),
    Line("serve MODEL --max-model-len 1.5k"),
    Line("serve MODEL --max-model-len auto"),
    Line("serve MODEL --max-model-len -1"),
    Line("serve MODEL --max-model-len=-1"),
    Line("serve MODEL --max-num-batched-tokens 2K"),
    Line("serve MODEL --kv-cache-memory 2G"),
    Line("serve MODEL --gpu-memory-utilization 0.9"),
    Line("serve MODEL --gpu-memory-util .9"),
    Line("serve MODEL --api-key a b --api-key c"),
    Line("serve MODEL --served-model-name a b c --port 8001"),
    Line("serve MODEL --no-enable-prefix-caching --enable-chunked-prefill"),
    Line("serve MODEL --no-async-scheduling"),
    Line(("serve", "MODEL", "--speculative-config", SPECULATION)),
    Line(("serve", "MODEL", "-sc", SPECULATION)),
    Line(
        "serve MODEL --speculative-config.method ngram"
        " --speculative-config.num_speculative_tokens 3"
    ),
    Line("serve MODEL --compilation-config.mode 3 -cc.cudagraph_mode none"),
    Line("serve MODEL -O3"),
    Line("serve MODEL -O 2"),
    Line("serve MODEL -O=1"),
    Line("serve MODEL --spec-method ngram --spec-tokens 3"),
    Line("serve MODEL --enable-auto-tool-choice --tool-call-parser hermes"),
    Line("serve MODEL --kv-cache-dtype fp8 --block-size 32"),
    Line("serve MODEL --quantization None"),
    Line("serve MODEL --hf-token"),
    Line("serve MODEL --hf-token --port 8000"),
    Line(("serve", "MODEL", "--allowed-origins", '["http://a"]')),
    Line(("serve", "MODEL", "--hf-overrides", '{"rope_theta": 1e6}')),
    Line(("serve", "MODEL", "--limit-mm-per-prompt", '{"image": 2}')),
    Line("serve MODEL --limit-mm-per-prompt.image 2"),
    Line("serve MODEL --lora-modules a=/x b=/y --enable-lora"),
    Line("serve MODEL --cudagraph-capture-sizes 1 2 4"),
    Line("serve MODEL --moe-backend Flashinfer-Cutlass"),
    Line("serve MODEL --max-lora-rank 16"),
    Line("serve MODEL --middleware a --middleware b"),
    Line("serve MODEL --disable-log-stats --headless"),
    Line("serve MODEL --runner pooling --convert embed"),
    Line("serve MODEL --enable-log-requests"),
    Line("serve MODEL --seed -5"),
    Line("serve MODEL --port 1_000"),
    Line("serve MODEL --device-memory-utilization 0.5"),
    Line("serve"),
    Line("serve --port 8000"),
    Line("api_server --model MODEL --port 8000"),
    Line("api_server MODEL"),
    Line("serve MODEL --reasoning-parser qwen3"),
    Line("serve MODEL --config-format hf"),
    # wrong
    Line("serve MODEL --swap-space 4"),
    Line("serve MODEL --swap_space=4"),
    Line("serve MODEL --disable-log-requests"),
    Line("serve MODEL --no-disable-log-requests"),
    Line("serve MODEL --speculative-model x --num-speculative-tokens 5"),
    Line("serve MODEL --use-v2-block-manager"),
    Line("serve MODEL --num-scheduler-steps 8"),
    Line("serve MODEL --task embed"),
    Line("serve MODEL --device cuda"),
    Line("serve MODEL --guided-decoding-backend xgrammar"),
    Line("serve MODEL --enable-reasoning --reasoning-parser qwen3"),
    Line("serve MODEL --enable-chunked-prefill False"),
    Line("serve MODEL --enable-chunked-prefill=False"),
    Line("serve MODEL --enable-prefix-caching true --port 1"),
    Line("serve MODEL --max-model-len 1.5K"),
    Line("serve MODEL --max-model-len 8192tokens"),
    Line("serve MODEL --max-model-len"),
    Line("serve MODEL --port"),
    Line("serve MODEL --port --host x"),
    Line("serve MODEL --port eight"),
    Line("serve MODEL --port=8000.0"),
    Line("serve MODEL --max-num-seqs 1k"),
    Line("serve MODEL --gpu-memory-utilization 90%"),
    Line("serve MODEL --dtype fp16"),
    Line("serve MODEL --kv-cache-dtype int8"),
    Line("serve MODEL --kv-cache-dtype fp16"),
    Line("serve MODEL --max-lora-rank 17"),
    Line("serve MODEL --served-model-name"),
    Line("serve --served-model-name x"),
    Line("serve --served-model-name x --model MODEL"),
    Line("serve --port 1 MODEL --served-model-name x"),
    Line("serve MODEL other"),
    Line("serve MODEL --enable-prefix-caching other"),
    Line("serve MODEL --gpu 1"),
    Line("serve MODEL --enable"),
    Line("serve MODEL --tp 2"),
    Line("serve MODEL --context-length 4096"),
    Line("serve MODEL --model-path x"),
    Line("serve MODEL --temperature 0.7"),
    Line("serve MODEL -ngl 99"),
    Line("serve MODEL –port 8000"),
    Line(("serve", "MODEL", "--port 8000")),
    Line(("serve", "MODEL", "--speculative-config", "{method: ngram}")),
    Line(("serve", "MODEL", "--speculative-config", "{'method': 'ngram'}")),
    Line("serve MODEL --speculative-config ngram"),
    Line("serve MODEL --enable-auto-tool-choice"),
    Line("serve MODEL --enable-log-outputs"),
    Line("serve MODEL --rope-scaling {}"),
    Line("serve MODEL --allowed-origins *"),
    Line("serve MODEL --moe-backend nothing"),
    Line("serve MODEL --uvicorn-log-level loud"),
    Line("serve MODEL --spec-method nothing"),
    Line("serve MODEL --cudagraph-capture-sizes 1 two"),
    Line("serve MODEL --enforce-eager=True"),
    Line("serve MODEL --tensor-parallel-size two"),
    Line("serve MODEL --seed 1.5"),
    Line("api_server --model MODEL extra more"),
    Line("serve MODEL --max-modellen 4096"),
    Line("serve MODEL --enable-prefix-cacheing"),
    Line(("serve", "MODEL", "-cc", '{"mode": 3, "cudagraph_mode": "NONE"}')),
    Line(("serve", "MODEL", "-cc", '{"levle": 3}')),
    Line(("serve", "MODEL", "--kv-transfer-config", '{"kv_connector": "x", "kv_role": "kv_both"}')),
    Line("serve MODEL --structured-outputs-config.backnd xgrammar"),
    Line("serve MODEL --structured-outputs-config.backend xgrammar"),
    Line("serve MODEL --structured-outputs-config [1]"),
    Line("serve MODEL --speculative-config 32k"),
    Line("serve MODEL --port.a 1"),
    Line("serve MODEL --enforce-eager.a 1"),
    Line(("serve", "MODEL", "--lora-modules", '{"name": "a", "path": "/b"}')),
    Line(("serve", "MODEL", "--lora-modules", '{"name": "a"}')),
    Line("serve MODEL --lora-modules a"),
    Line("serve MODEL -O 0.9"),
    Line("serve MODEL -O"),
    # by the configuration that is made of them
    Line("serve MODEL --max-num-batched-tokens 2048 --max-num-seqs 64", config=True),
    Line("serve MODEL --max-num-batched-tokens 8 --max-num-seqs 64", config=True),
    Line("serve MODEL --no-enable-chunked-prefill --max-num-batched-tokens 64 --max-num-seqs 4 "
         "--max-model-len 512", config=True),
    Line("serve MODEL --no-enable-chunked-prefill --max-num-batched-tokens 512 --max-num-seqs 4 "
         "--max-model-len 512", config=True),
    Line("serve MODEL --enable-chunked-prefill --max-num-batched-tokens 64 --max-num-seqs 4 "
         "--max-model-len 512", config=True),
    Line("serve MODEL --gpu-memory-utilization 1.5", config=True),
    Line("serve MODEL --gpu-memory-utilization 90", config=True),
    Line("serve MODEL --gpu-memory-utilization 0", config=True),
    Line("serve MODEL --gpu-memory-utilization 0.5", config=True),
    Line("serve MODEL --tensor-parallel-size 3", config=True),
    Line("serve MODEL --tensor-parallel-size 0", config=True),
    Line("serve MODEL --max-model-len 1000000", config=True),
    Line("serve MODEL --max-model-len 0", config=True),
    Line("serve MODEL --max-model-len 1024", config=True),
    Line("serve MODEL --quantization awq", config=True),
    Line("serve MODEL --quantization nothing", config=True),
    Line("serve MODEL --dtype float16", config=True),
    Line("serve MODEL --block-size 0", config=True),
    Line("serve MODEL --spec-method ngram --spec-tokens 0", config=True),
    Line("serve MODEL --spec-method ngram --spec-tokens 3", config=True),
    Line(("serve", "MODEL", "--speculative-config", '{"method": "ngram"}'), config=True),
    Line(
        (
            "serve",
            "MODEL",
            "--speculative-config",
            '{"method": "ngram", "num_speculative_token": 3, "num-speculative-tokens": 3}',
        ),
        config=True,
    ),
    Line(("serve", "MODEL", "--speculative-config", SPECULATION), config=True),
]  # fmt: skip


# The launch commands as three guides print them: in one line, the line breaks lost.
GUIDES = {
    "docker": r"docker run --gpus all \ -p 8000:8000 \ -v /data/models:/models \ "
    r"vllm/vllm-openai:latest \ --model /models/Qwen2-7B-Instruct \ --max-model-len 8192 \ "
    r"--gpu-memory-utilization 0.90 \ --max-num-seqs 32 \ --block-size 16 \ "
    r"--enable-prefix-caching \ --swap-space 8",
    "speculation": r"--speculative-model /models/Qwen2-0.5B-Instruct \ --num-speculative-tokens 5",
    "serve": r"vllm serve Qwen/Qwen3-8B-Instruct \ --host 0.0.0.0 \ --port 8000 \ "
    r"--tensor-parallel-size 1 \ --max-model-len 32768 \ --gpu-memory-utilization 0.90 \ "
    r"--enable-prefix-caching \ --enable-chunked-prefill \ --max-num-batched-tokens 8192 \ "
    r"--max-num-seqs 64 \ --block-size 16 \ --swap-space 8 \ --served-model-name qwen3-8b \ "
    r"--disable-log-requests",
    "settings.json": '{"llm": {"model": "your-target-model"}, "inference": {"max_model_len": 8192, '
    '"gpu_memory_utilization": 0.92, "kv_cache_dtype": "auto", "enable_prefix_caching": true, '
    '"tensor_parallel_size": 1}}',
    "config.toml": """
[server]
host = "0.0.0.0"
port = 8000
[model]
name = "your-target-model"
quantization = "awq"
dtype = "float16"
max_model_len = 8192
[memory]
gpu_memory_utilization = 0.92
kv_cache_dtype = "auto"
block_size = 16
swap_space_gb = 4
[parallel]
tensor_parallel_size = 1
pipeline_parallel_size = 1
data_parallel_size = 1
[batching]
enable_continuous_batching = true
max_num_seqs = 256
max_num_batched_tokens = 8192
[speculative]
enabled = false
draft_model = ""
num_speculative_tokens = 5
""",
}


def ours(argv: tuple[str, ...], config: str | None) -> dict[str, Any]:
    """What kvdoctor says of a line; ``config`` is the model's config.json, if vLLM has it too."""
    module = ("python", "-m", "vllm.entrypoints.openai.api_server")
    words = ("vllm", *argv) if argv[0] == "serve" else (*module, *argv[1:])
    return examine(list(words), VERSION, config=config)


def recorded() -> list[bool]:
    """Whether vLLM took each line."""
    told: dict[str, bool] = json.loads(RECORDED.read_text("utf-8"))
    return [told[json.dumps(line.argv)] for line in MATRIX]
