"""Which layers of a model attend to a window only, by model type.

The rules are those of the configuration classes that vLLM 0.32 loads a config.json with
(Transformers 5), which fill ``layer_types`` in where a file has none, and of vLLM's own model
code, which may not look at them.
"""

from __future__ import annotations

from doctor.memory.config import ModelConfig

SLIDING, FULL = "sliding_attention", "full_attention"

# model_type → every n-th layer is global where the file does not say otherwise.
_EVERY = {
    "gemma2": 2,
    "gemma3_text": 6,
    "gemma3": 6,
    "gemma3n_text": 5,
    "gemma4_text": 6,
    "cohere2": 4,
    "cohere2_moe": 4,
    "exaone4": 4,
    "exaone_moe": 4,
    "olmo3": 4,
    "vaultgemma": 2,
    "afmoe": 4,
}
# Windows that the configuration class has where the file is silent.
_DEFAULT_WINDOW = {
    "gemma2": 4096, "gemma3_text": 4096, "gemma3n_text": 512, "gemma4_text": 512,
    "cohere2": 4096, "cohere2_moe": 4096, "exaone4": 4096, "exaone_moe": 4096, "olmo3": 4096,
    "vaultgemma": 512,
    "afmoe": 1024, "gpt_oss": 128, "mistral": 4096, "ministral": 4096,
}  # fmt: skip
# A window counts only where ``use_sliding_window`` says so.
_SWITCHED = frozenset({"qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "smollm3"})
# vLLM's code for these gives every layer its own window; others have one for the whole model.
_AWARE = frozenset({
    *_EVERY, "gpt_oss", "llama", "mistral", "ministral", "ministral3", "apertus", "granite",
    "granite_swa", "granitemoe", "granitemoe_swa", "granitemoeshared", "laguna", "smollm3", "cwm",
    "qwen3", "internlm3",
})  # fmt: skip
# Cohere counts the token itself on top of its window.
_ONE_MORE = frozenset({"cohere2", "cohere2_moe"})


def windows(config: ModelConfig) -> tuple[int | None, ...]:
    """The window of each layer in tokens, None for full attention. Raises ``ModelError``."""
    kind, count = config.text_type, config.layers
    window = model_window(config)
    if window is None:
        return (None,) * count
    if kind == "gpt_oss":
        return tuple(window if index % 2 == 0 else None for index in range(count))
    types = layer_types(config, window)
    own = window + 1 if kind in _ONE_MORE else window
    uniform = window if types is None or all(one == SLIDING for one in types) else None
    if types is None or kind not in _AWARE:
        return (uniform,) * count
    return tuple(own if one == SLIDING else uniform for one in types)


def model_window(config: ModelConfig) -> int | None:
    """``sliding_window`` in tokens, None where the model has none or has it switched off."""
    kind = config.text_type
    if kind in _SWITCHED and not config.flag("use_sliding_window"):
        return None
    if "sliding_window" in config.text or "sliding_window" in config.whole:
        return config.optional("sliding_window") or None
    return _DEFAULT_WINDOW.get(kind)


def layer_types(config: ModelConfig, window: int | None) -> tuple[str, ...] | None:
    """One word per layer, from the file or by the type's rule; None where there is neither."""
    kind, count = config.text_type, config.layers
    if config.find("layer_types") is not None:
        return config.types("layer_types", default=())
    if kind in ("qwen2", "qwen3"):
        first = config.integer("max_window_layers", default=28, low=0)
        return tuple(SLIDING if window and n >= first else FULL for n in range(count))
    if kind == "ministral":
        return (SLIDING if window else FULL,) * count
    if kind not in _EVERY:
        return None
    pattern = config.find("sliding_window_pattern", "_sliding_window_pattern")
    if isinstance(pattern, str) and pattern:
        letters = [pattern[n % len(pattern)] for n in range(count)]
        return tuple(
            SLIDING if letter == "L" and n < count - 1 else FULL for n, letter in enumerate(letters)
        )
    names = ("sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers")
    every = config.integer(*names, default=_EVERY[kind])
    types = [SLIDING if (n + 1) % every else FULL for n in range(count)]
    if kind == "gemma4_text":
        types[-1] = FULL
    return tuple(types)
