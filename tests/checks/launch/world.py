"""What tests of the checks of a launch line share: a line in, the findings as a user sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from doctor.launch import examine
from doctor.launch.gpus import named

Finding = dict[str, Any]
QWEN = {
    "architectures": ["Qwen3ForCausalLM"],
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 36,
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "torch_dtype": "bfloat16",
}


def judged(source: str | Sequence[str], version: str | None = "0.32.0", **more: Any) -> Any:
    """The whole document; ``gpu`` is the name of one."""
    if isinstance(more.get("gpu"), str):
        more["gpu"] = named(more["gpu"])
    document = examine(source, version, **more)
    ended_badly = [c for c in document["checks"] if c["status"] in ("crashed", "timeout")]
    assert not ended_badly
    return document


def findings(
    source: str | Sequence[str], code: str, version: str | None = "0.32.0", **more: Any
) -> list[Finding]:
    """Those of one code."""
    return [f for f in judged(source, version, **more)["findings"] if f["code"] == code]


def only(
    source: str | Sequence[str], code: str, version: str | None = "0.32.0", **more: Any
) -> Finding:
    """The one finding of a code."""
    (finding,) = findings(source, code, version, **more)
    return finding


def codes(source: str | Sequence[str], version: str | None = "0.32.0", **more: Any) -> list[str]:
    return [finding["code"] for finding in judged(source, version, **more)["findings"]]


def corrected(source: str | Sequence[str], version: str | None = "0.32.0", **more: Any) -> str:
    text: str = judged(source, version, **more)["corrected"]["text"]
    return text


def config_file(folder: Path, **fields: Any) -> str:
    """A model's config.json; Qwen3-8B's with ``fields`` over it, None takes one out."""
    folder.mkdir(parents=True, exist_ok=True)
    data = {name: value for name, value in {**QWEN, **fields}.items() if value is not None}
    path = folder / "config.json"
    path.write_text(json.dumps(data))
    return str(path)
