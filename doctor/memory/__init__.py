"""The memory planner: weights, KV cache and what fits, by vLLM's own rules.

from doctor.memory import Options, model_config, plan

made = plan(model_config(json.loads(text), "config.json"), Options(tensor_parallel_size=2))
made.bytes_per_token, made.num_blocks, made.max_concurrency
"""

from __future__ import annotations

from doctor.memory.config import ModelConfig, model_config
from doctor.memory.errors import ModelError, OptionError
from doctor.memory.options import Options
from doctor.memory.plan import Plan
from doctor.memory.planner import plan

__all__ = ["ModelConfig", "ModelError", "OptionError", "Options", "Plan", "model_config", "plan"]
