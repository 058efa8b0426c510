"""How quantised checkpoints store their linear layers: bytes per parameter, scales included."""

from __future__ import annotations

from typing import Any

from doctor.memory.config import ModelConfig
from doctor.memory.tally import Part
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Scheme:
    """``linear`` and ``expert`` are bytes of one parameter, None where it is not quantised;
    ``embedding`` likewise for embeddings and the head."""

    name: str
    linear: float | None = None
    expert: float | None = None
    embedding: float | None = None


# Scales and zeros per group: AWQ and GPTQ keep a 16-bit scale and a 4-bit zero for each 128;
# fp8 blocks a float32 for 128 × 128; MXFP4 a byte for 32; NVFP4 a byte for 16.
_BITS = {"fp8": 8, "fbgemm_fp8": 8, "ptpc_fp8": 8, "modelopt": 8, "int8": 8, "bitsandbytes": 4}
_DEFAULT_GROUP = 128


def stored_as(config: ModelConfig, asked: str | None) -> Scheme:
    """The scheme of a checkpoint, or that which ``--quantization`` makes when it is loaded."""
    section = config.find("quantization_config", "compression_config")
    given = section if isinstance(section, dict) else {}
    method = str(given.get("quant_method", "")).lower().replace("_", "-")
    if not method and "producer" in given:
        method = "modelopt"
    method = method or (asked or "").lower().replace("_", "-")
    if method in ("", "none", "auto"):
        return Scheme("none")
    return _scheme(method, given)


def _scheme(method: str, given: dict[str, Any]) -> Scheme:
    if "mxfp4" in method:
        # gpt-oss: the experts alone, as its file says by modules_to_not_convert.
        only_experts = "modules_to_not_convert" in given or not given
        packed = (4 + 8 / 32) / 8
        return Scheme("mxfp4", None if only_experts else packed, packed)
    if method in ("awq", "gptq", "awq-marlin", "gptq-marlin", "auto-round", "inc"):
        bits = _number(given.get("bits", given.get("w_bit", 4)), 4)
        group = _number(given.get("group_size", given.get("q_group_size", 128)), 128)
        packed = (bits + (16 + bits) / (group if group > 0 else 4096)) / 8
        return Scheme(f"{method} {bits}-bit", packed, packed)
    if method in ("modelopt-fp4", "nvfp4") or _algorithm(given) == "NVFP4":
        packed = (4 + 8 / 16) / 8
        return Scheme("nvfp4", packed, packed)
    if method == "compressed-tensors":
        bits = _compressed_bits(given)
        packed = (bits + (16 / _DEFAULT_GROUP if bits < 8 else 0)) / 8
        return Scheme(f"compressed-tensors {bits}-bit", packed, packed)
    if method == "bitsandbytes":
        eight = bool(given.get("load_in_8bit"))
        packed = 1.0 if eight else (4 + 32 / 64) / 8
        return Scheme("bitsandbytes", packed, packed)
    if "fp8" in method or method == "modelopt" or _BITS.get(method) == 8:
        return Scheme("fp8", 1.0 + 4 / (128 * 128), 1.0 + 4 / (128 * 128))
    return Scheme(method)


def bytes_of(part: Part, count: float, scheme: Scheme, plain: int) -> float:
    """Bytes of ``count`` parameters of a part."""
    packed = None
    if part is Part.LINEAR:
        packed = scheme.linear
    elif part is Part.EXPERT:
        packed = scheme.expert
    elif part is not Part.REST:
        packed = scheme.embedding
    return count * (plain if packed is None else packed)


def _compressed_bits(given: dict[str, Any]) -> int:
    groups = given.get("config_groups")
    if isinstance(groups, dict):
        for group in groups.values():
            weights = group.get("weights") if isinstance(group, dict) else None
            if isinstance(weights, dict):
                return _number(weights.get("num_bits", 8), 8)
    return 8


def _algorithm(given: dict[str, Any]) -> str:
    inner = given.get("quantization")
    section = inner if isinstance(inner, dict) else given
    return str(section.get("quant_algo", "")).upper()


def _number(value: object, default: int) -> int:
    fine = isinstance(value, int) and not isinstance(value, bool) and -1 <= value <= 1 << 20
    return int(value) if fine and isinstance(value, int) else default
