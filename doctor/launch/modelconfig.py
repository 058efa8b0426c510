"""The plain fields of a model's config.json that a launch line must fit.

Only what the file says outright is taken; what is derived by a model's own code is left unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doctor.launch.model import ModelConfig
from doctor.memory.lengths import FIELDS
from doctor.records import dataclass
from doctor.settings import textfile
from doctor.settings.documents import Malformed, parse_json

_LIMIT = 4 * 1024 * 1024
# Where a multimodal model keeps what its language model is.
_NESTED = ("text_config", "llm_config", "language_config", "thinker_config")
# These scalings leave the length as it is, or tell it in another way.
_UNSCALED = frozenset({"su", "longrope", "llama3", "mrope", "default"})
_SCALED = frozenset({"linear", "dynamic", "yarn"})


@dataclass(frozen=True, slots=True)
class Folder:
    """A local directory that a model's name stands for. ``weights``: it holds some."""

    path: str
    exists: bool
    config: ModelConfig | None
    weights: bool
    empty: bool


def of_folder(path: Path) -> Folder:
    """What lies at ``path``, a directory or a config.json itself."""
    file = path if path.is_file() and path.suffix == ".json" else path / "config.json"
    names = textfile.names_in(path) if path.is_dir() else ()
    weights = any(n.endswith((".safetensors", ".bin", ".pt", ".gguf", ".pth")) for n in names)
    return Folder(str(path), path.exists(), read(file), weights, path.is_dir() and not names)


def read(file: Path) -> ModelConfig | None:
    """None where there is no such file, or it is not the JSON of a model."""
    try:
        text = textfile.read(file, _LIMIT).text
        data = parse_json(text).data
    except (textfile.Unreadable, Malformed):
        return None
    return of_data(data, str(file)) if isinstance(data, Mapping) else None


def of_data(data: Mapping[str, Any], place: str) -> ModelConfig:
    """The fields of a parsed config.json."""
    inner: Mapping[str, Any] = data
    for name in _NESTED:
        nested = data.get(name)
        if isinstance(nested, Mapping):
            inner = {**data, **nested}
            break
    window, window_from = _window(inner)
    heads = _number(inner, "num_attention_heads", "n_head", "num_heads")
    if "block_configs" in inner or inner.get("model_type") in ("mamba", "mamba2", "jamba"):
        heads = heads if inner.get("model_type") == "jamba" else None
    return ModelConfig(
        place,
        architectures=tuple(str(a) for a in _list(data.get("architectures"))),
        heads=heads,
        kv_heads=_number(inner, "num_key_value_heads", "num_kv_heads", "multi_query_group_num"),
        vocabulary=_number(inner, "vocab_size", "padded_vocab_size"),
        window=window,
        window_from=window_from,
        dtype=_dtype(inner),
        quantization=_quantization(data) or _quantization(inner),
        layers=_number(inner, "num_hidden_layers", "n_layer", "num_layers"),
        model_type=str(data["model_type"]) if data.get("model_type") else None,
    )


def _number(data: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = data.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dtype(data: Mapping[str, Any]) -> str | None:
    value = data.get("dtype", data.get("torch_dtype"))
    return value.removeprefix("torch.") if isinstance(value, str) else None


def _quantization(data: Mapping[str, Any]) -> str | None:
    config = data.get("quantization_config") or data.get("compression_config")
    if not isinstance(config, Mapping):
        return None
    method = config.get("quant_method")
    return method.lower() if isinstance(method, str) else None


def _window(data: Mapping[str, Any]) -> tuple[int | None, str]:
    """The longest sequence, and the field that limits it; None where a rule of its own decides."""
    found = [(data[n], n) for n in FIELDS if _number(data, n) is not None]
    if not found:
        return None, ""
    length, name = min(found)
    if _number(data, "model_max_length") is not None:
        length, name = data["model_max_length"], "model_max_length"
    scaling = data.get("rope_scaling") or data.get("rope_parameters")
    if not isinstance(scaling, Mapping) or "gemma3" in str(data.get("model_type")):
        return length, name
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if any(isinstance(value, Mapping) for value in scaling.values()):
        return None, ""  # by kind of layer
    if kind in _UNSCALED:
        return length, name
    factor = scaling.get("factor", 1)
    if not isinstance(factor, int | float) or factor < 1 or kind not in _SCALED:
        return None, ""
    if kind == "yarn":
        # Up to some version the original length was multiplied, now the length holds as it stands.
        original = scaling.get("original_max_position_embeddings")
        scaled = int(original * factor) if isinstance(original, int) else length
        return max(length, scaled), name
    return int(length * factor), f"{name} × {factor:g}"


def by_id(name: str, variables: Mapping[str, str]) -> ModelConfig | None:
    """The config of a model of the Hub: downloaded before, or of the planner's table."""
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        return None
    from doctor.memory.errors import ModelError
    from doctor.memory.reading import find_model

    try:
        found = find_model(name, variables)
    except ModelError:
        return None
    return of_data(found.config.whole, found.source)
