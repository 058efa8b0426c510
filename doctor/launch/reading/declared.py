"""Settings that no program reads as they stand, and vLLM's own YAML file: declared as flags.

The ``settings.json`` and ``config.toml`` of the guides (facts/gateway-clients.md §4.1, §4.2) name
the engine's flags in their own words; what is meant is the line that is made of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from doctor.launch.model import Word
from doctor.launch.reading.found import Found, Groups
from doctor.launch.reading.yamltext import (
    Node,
    end,
    is_mapping,
    is_scalar,
    is_sequence,
    line,
    pairs,
    start,
)

# Table and key of the guides → flag. A key that is not here is no setting of the engine.
_GUIDES = {
    ("server", "host"): "--host",
    ("server", "port"): "--port",
    ("model", "quantization"): "--quantization",
    ("model", "dtype"): "--dtype",
    ("model", "max_model_len"): "--max-model-len",
    ("memory", "gpu_memory_utilization"): "--gpu-memory-utilization",
    ("memory", "kv_cache_dtype"): "--kv-cache-dtype",
    ("memory", "block_size"): "--block-size",
    ("memory", "swap_space_gb"): "--swap-space",
    ("parallel", "tensor_parallel_size"): "--tensor-parallel-size",
    ("parallel", "pipeline_parallel_size"): "--pipeline-parallel-size",
    ("parallel", "data_parallel_size"): "--data-parallel-size",
    ("batching", "enable_continuous_batching"): "--enable-continuous-batching",
    ("batching", "max_num_seqs"): "--max-num-seqs",
    ("batching", "max_num_batched_tokens"): "--max-num-batched-tokens",
    ("inference", "max_model_len"): "--max-model-len",
    ("inference", "gpu_memory_utilization"): "--gpu-memory-utilization",
    ("inference", "kv_cache_dtype"): "--kv-cache-dtype",
    ("inference", "enable_prefix_caching"): "--enable-prefix-caching",
    ("inference", "tensor_parallel_size"): "--tensor-parallel-size",
}
_MODELS = (("model", "name"), ("llm", "model"))


def is_guide(data: Any) -> bool:
    """Whether a document has the tables of one of the guides' files."""
    if not isinstance(data, Mapping):
        return False
    tables = {key for key, value in data.items() if isinstance(value, Mapping)}
    return "inference" in tables or len(tables & {"server", "memory", "parallel", "batching"}) >= 2


def guide(data: Mapping[str, Any]) -> Found:
    """The line that the tables mean."""
    words = ["vllm", "serve"]
    for table, key in _MODELS:
        value = _get(data, table, key)
        if isinstance(value, str) and value:
            words.append(value)
            break
    for (table, key), flag in _GUIDES.items():
        value = _get(data, table, key)
        if value is None or value == "" or flag in words:
            continue
        words += _flag(flag, value)
    words += _speculation(data)
    return Found([Word(text) for text in words], declared=True)


def _get(data: Mapping[str, Any], table: str, key: str) -> Any:
    section = data.get(table)
    return section.get(key) if isinstance(section, Mapping) else None


def _flag(flag: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        if value or flag == "--enable-continuous-batching":
            yield flag
        else:
            yield f"--no-{flag[2:]}"
    elif isinstance(value, int | float | str):
        yield flag
        yield str(value)


def _speculation(data: Mapping[str, Any]) -> list[str]:
    if _get(data, "speculative", "enabled") is not True:
        return []
    config: dict[str, Any] = {}
    model = _get(data, "speculative", "draft_model")
    tokens = _get(data, "speculative", "num_speculative_tokens")
    if model:
        config["model"] = model
    if isinstance(tokens, int):
        config["num_speculative_tokens"] = tokens
    return ["--speculative-config", json.dumps(config)]


def vllm_config(text: str, root: Node, groups: Groups) -> Found:
    """vLLM's ``--config`` file: keys are flags without dashes, lists are several values, mappings
    are JSON (vllm/utils/argparse_utils.py@0.32.0, load_config_file)."""
    group = groups.new("key")
    fixed = groups.new("fixed")
    words = [Word("vllm"), Word("serve")]
    model: Word | None = None
    for key, value in pairs(root):
        name = next(n for n, v in root.value if v is value)
        if key in ("model", "model_tag"):
            model = Word(str(value.value), start(value), end(value), group)
        elif is_scalar(value):
            words += _scalar(key, name, value, group)
        elif is_sequence(value):
            items = [Word(str(i.value), start(i), end(i), fixed) for i in value.value]
            words += [Word(f"--{key}", start(name), end(name), fixed), *items] if items else []
        elif is_mapping(value):
            said = json.dumps(_plain(value))
            words += [Word(f"--{key}", start(name), end(name), fixed), Word(said)]
    if model is not None:
        words.insert(2, model)
    return Found(words, line=line(root), declared=False)


def _scalar(key: str, name: Node, value: Node, group: int) -> list[Word]:
    told = str(value.value)
    if value.tag.endswith(":bool"):
        on = told.lower() in ("true", "yes", "on")
        flag = f"--{key}" if on else f"--no-{key}"
        return [Word(flag, start(name), end(value), group)]
    return [
        Word(f"--{key}", start(name), end(name), group),
        Word(told, start(value), end(value), group),
    ]


def _plain(node: Node, depth: int = 0) -> Any:
    if depth > 8:
        return None
    if is_mapping(node):
        return {key: _plain(value, depth + 1) for key, value in pairs(node)}
    if is_sequence(node):
        return [_plain(item, depth + 1) for item in node.value]
    tag = str(node.tag)
    told = str(node.value)
    if tag.endswith(":int") and told.lstrip("-").isdigit():
        return int(told)
    if tag.endswith(":bool"):
        return told.lower() == "true"
    if tag.endswith(":null"):
        return None
    return told
