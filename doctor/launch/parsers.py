"""Names that values may have and argparse does not check: parsers and quantization methods.

They are known for the versions of ``data/names.json`` only.
"""

from __future__ import annotations

import functools
import json
from importlib import resources

from doctor.patterns import Pattern

# Which tool parser a family of models speaks (vLLM's documentation of tool calling).
_FAMILIES: tuple[tuple[str, str], ...] = (
    (r"qwen3[-_.]?coder", "qwen3_coder"),
    (r"qwen(?:2\.5|3)(?!\.)|qwq|hermes", "hermes"),
    (r"llama-?4", "llama4_pythonic"),
    (r"llama-?3", "llama3_json"),
    (r"mi(?:s|x)tral|ministral|magistral|devstral", "mistral"),
    (r"deepseek-v3\.1", "deepseek_v31"),
    (r"deepseek-v3\.2", "deepseek_v32"),
    (r"deepseek-(?:v3|r1)(?!\.|-distill)", "deepseek_v3"),
    (r"glm-4\.[56]", "glm45"),
    (r"glm-4\.7", "glm47"),
    (r"kimi-k2", "kimi_k2"),
    (r"gpt-oss", "openai"),
    (r"minimax-m2", "minimax_m2"),
    (r"internlm", "internlm"),
    (r"granite-3", "granite"),
)


@functools.cache
def _data() -> dict[str, dict[str, list[str]]]:
    folder = resources.files("doctor.launch") / "data"
    loaded: dict[str, dict[str, list[str]]] = json.loads((folder / "names.json").read_text("utf-8"))
    return loaded


def names(kind: str, version: str) -> frozenset[str] | None:
    """``kind`` is ``tool``, ``reasoning`` or ``quantization``; None where the version's names are
    not known."""
    found = _data().get(version, {}).get(kind)
    return frozenset(found) if found else None


def tool_parser_for(model: str) -> str | None:
    """The likely tool parser of a model by its name."""
    lower = model.lower()
    for pattern, parser in _FAMILIES:
        if Pattern(pattern).search(lower):
            return parser
    return None
