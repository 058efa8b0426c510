"""Bytes of the dtypes that ``--dtype``, ``--kv-cache-dtype`` and checkpoints name."""

from __future__ import annotations

from doctor.memory.config import ModelConfig
from doctor.memory.errors import OptionError
from doctor.memory.specs import ceil_div
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible

FLOATS = {
    "float32": 4, "float": 4, "bfloat16": 2, "float16": 2, "half": 2,
}  # fmt: skip

# vLLM 0.32.0 config/cache.py CacheDType: bytes of one element of K or V, scales not counted.
_PLAIN = {
    "float16": 2,
    "bfloat16": 2,
    "fp8": 1,
    "fp8_e4m3": 1,
    "fp8_e5m2": 1,
    "fp8_inc": 1,
}
_PER_TOKEN_HEAD = {"int8_per_token_head": 8, "fp8_per_token_head": 8, "int4_per_token_head": 4}
# (bits of a key, bits of a value); 8 is an fp8 key, which needs no norm beside it.
_TURBOQUANT = {
    "turboquant_k8v4": (8, 4),
    "turboquant_4bit_nc": (4, 4),
    "turboquant_k3v4_nc": (3, 4),
    "turboquant_3bit_nc": (3, 3),
}
_NVFP4 = ("nvfp4", "nvfp4_4over6")
_DS_MLA = {"fp8_ds_mla": 656, "nvfp4_ds_mla": 352}

KV_DTYPES = ("auto", *_PLAIN, *_PER_TOKEN_HEAD, *_TURBOQUANT, *_NVFP4, *_DS_MLA)
_FP32 = 4


def check_kv_dtype(name: str) -> str:
    """The name itself. Raises ``OptionError`` with the nearest known one."""
    if name in KV_DTYPES:
        return name
    near = nearest(name, KV_DTYPES)
    hint = _("; the nearest is {name}", name=near) if near else ""
    raise OptionError(
        _("--kv-cache-dtype {value} is not known{hint}", value=visible(name, limit=60), hint=hint)
    )


def attention_bytes(kv_dtype: str, model_bytes: int, key: int, value: int) -> int:
    """Bytes of one token of one KV head: ``key`` + ``value`` elements (facts/vllm.md §4.2).

    Raises ``OptionError`` for a dtype that is meant for MLA only.
    """
    if kv_dtype == "auto":
        return (key + value) * model_bytes
    if kv_dtype in _PLAIN:
        return (key + value) * _PLAIN[kv_dtype]
    if kv_dtype in _PER_TOKEN_HEAD:
        bits = _PER_TOKEN_HEAD[kv_dtype]
        return (key * bits // 8) + (value * bits // 8) + 2 * _FP32
    if kv_dtype in _NVFP4:
        return sum(size // 2 + size // 16 for size in (key, value))
    if kv_dtype in _TURBOQUANT:
        key_bits, value_bits = _TURBOQUANT[kv_dtype]
        packed = key if key_bits == 8 else ceil_div(key * key_bits, 8) + 2
        slot = packed + ceil_div(value * value_bits, 8) + 4
        return slot + slot % 2
    raise OptionError(_("--kv-cache-dtype {name} is for sparse MLA models only", name=kv_dtype))


def latent_bytes(kv_dtype: str, model_bytes: int, width: int) -> int:
    """Bytes of one token's latent of an MLA layer, which has no value beside it."""
    if kv_dtype in _DS_MLA:
        return _DS_MLA[kv_dtype]
    if kv_dtype == "auto":
        return width * model_bytes
    if kv_dtype in _PLAIN:
        return width * _PLAIN[kv_dtype]
    if kv_dtype in _PER_TOKEN_HEAD:
        return width * _PER_TOKEN_HEAD[kv_dtype] // 8 + 2 * _FP32
    raise OptionError(_("--kv-cache-dtype {name} is not for MLA models", name=kv_dtype))


def model_dtype(config: ModelConfig, asked: str) -> str:
    """The dtype that vLLM computes in: ``asked``, else the checkpoint's, float32 made 16 bits."""
    if asked != "auto":
        if asked not in FLOATS:
            raise OptionError(_("--dtype {value} is not known", value=visible(asked, limit=60)))
        return asked
    found = config.find("dtype", "torch_dtype")
    name = str(found).removeprefix("torch.") if isinstance(found, str) else "float32"
    return name if FLOATS.get(name) == 2 else "bfloat16"


def checkpoint_kv_dtype(config: ModelConfig) -> str:
    """What ``auto`` stands for: a checkpoint may carry a KV-cache scheme of its own.

    vLLM 0.32.0: ``resolve_kv_cache_dtype_string`` (ModelOpt) and ``Attention.__init__``
    (compressed-tensors ``kv_cache_scheme``).
    """
    quantization = config.find("quantization_config", "compression_config")
    if not isinstance(quantization, dict):
        return "auto"
    method = str(quantization.get("quant_method", "")).lower()
    inner = quantization.get("quantization")
    sections = (inner, quantization) if isinstance(inner, dict) else (quantization,)
    scheme = next((s["kv_cache_scheme"] for s in sections if s.get("kv_cache_scheme")), None)
    if method.startswith("modelopt") or "producer" in quantization:
        if isinstance(scheme, dict):
            bits, kind = scheme.get("num_bits"), scheme.get("type")
            if kind == "float" and bits == 4:
                return "nvfp4"
            static = scheme.get("dynamic") is False
            return "fp8_e4m3" if kind == "float" and bits == 8 and static else "auto"
        named = scheme or next(
            (s["kv_cache_quant_algo"] for s in sections if s.get("kv_cache_quant_algo")), None
        )
        return {"fp8": "fp8_e4m3", "nvfp4": "nvfp4"}.get(str(named).lower(), "auto")
    return "fp8" if scheme else "auto"
