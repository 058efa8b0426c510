"""Which layers of a model mix tokens how, and the parameters of the recurrent ones."""

from __future__ import annotations

from doctor.memory.architectures.terms import hidden_size, query_heads
from doctor.memory.config import ModelConfig
from doctor.memory.tally import Part, Tally

_WORDS = {
    "*": "attention", "M": "state", "-": "mlp", "E": "moe", "attention": "attention",
    "full_attention": "attention", "sliding_attention": "attention", "hybrid": "both",
    "mamba": "state", "linear_attention": "state", "conv": "state", "mamba2": "state",
    "mlp": "mlp", "moe": "moe",
}  # fmt: skip


def types_of(config: ModelConfig) -> tuple[str, ...]:
    """Per layer: attention, state, both, mlp or moe."""
    count = config.layers
    match config.architecture:
        case "NemotronHForCausalLM":
            pattern = config.find("hybrid_override_pattern")
            words = (
                list(pattern)
                if isinstance(pattern, str)
                else config.words("layers_block_type", "layer_types")
            )
            return tuple(_WORDS.get(word, "mlp") for word in (words or ()))[:count]
        case "FalconH1ForCausalLM":
            return ("both",) * count
        case "MambaForCausalLM" | "FalconMambaForCausalLM" | "Mamba2ForCausalLM":
            return ("state",) * count
        case "JambaForCausalLM":
            period = config.integer("attn_layer_period", default=8)
            offset = config.integer("attn_layer_offset", default=4, low=0)
            return tuple("attention" if n % period == offset else "state" for n in range(count))
        case "KimiLinearForCausalLM":
            full = config.within("linear_attn_config").integers("full_attn_layers") or ()
            return tuple("attention" if n + 1 in full else "state" for n in range(count))
    words = config.words("layers_block_type", "layer_types")
    if words is None and config.text_type in ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"):
        every = config.integer("full_attention_interval", default=4)
        return tuple("state" if (n + 1) % every else "attention" for n in range(count))
    indices = config.integers("full_attn_idxs")
    if words is None and indices is not None:
        return tuple("attention" if n in indices else "state" for n in range(count))
    if words is None:
        return ("attention",) * count
    return tuple(_WORDS.get(word, "attention") for word in words[:count])


def recurrent(config: ModelConfig, tally: Tally, layer: int) -> None:
    """Adds one recurrent layer's projections."""
    hidden = hidden_size(config)
    match config.architecture:
        case "JambaForCausalLM" | "MambaForCausalLM" | "FalconMambaForCausalLM":
            inner = config.optional("mamba_expand") or config.optional("expand") or 2
            inner *= hidden
            width = config.integer("mamba_d_state", "state_size", default=16)
            rank = config.optional("mamba_dt_rank", "time_step_rank") or -(-hidden // 16)
            tally.add(Part.LINEAR, hidden * 2 * inner + inner * hidden, layer)
            tally.add(Part.LINEAR, inner * (rank + 2 * width) + rank * inner, layer)
            tally.add(Part.REST, inner * (width + 6), layer)
        case "Lfm2ForCausalLM" | "Lfm2MoeForCausalLM":
            width = config.integer("conv_dim", "hidden_size")
            tally.add(Part.LINEAR, 4 * hidden * width, layer)
        case (
            "Qwen3NextForCausalLM"
            | "OlmoHybridForCausalLM"
            | "Qwen3_5ForCausalLM"
            | "Qwen3_5MoeForCausalLM"
        ):
            keys = config.integer("linear_num_key_heads") * config.integer("linear_key_head_dim")
            heads = config.integer("linear_num_value_heads")
            values = heads * config.integer("linear_value_head_dim")
            tally.add(Part.LINEAR, hidden * (2 * keys + 2 * values + 2 * heads), layer)
            tally.add(Part.LINEAR, values * hidden, layer)
            tally.add(Part.REST, 4 * (2 * keys + values), layer)
        case "KimiLinearForCausalLM":
            linear = config.within("linear_attn_config")
            inner = linear.integer("num_heads") * linear.integer("head_dim")
            tally.add(Part.LINEAR, 4 * hidden * inner, layer)
            tally.add(Part.LINEAR, 2 * linear.integer("head_dim") * (hidden + inner), layer)
        case _:
            _mamba2(config, tally, layer, hidden)


def _mamba2(config: ModelConfig, tally: Tally, layer: int, hidden: int) -> None:
    heads = (
        config.optional("mamba_n_heads", "mamba_num_heads", "n_mamba_heads", low=1)
        or config.optional("num_heads", low=1)
        or query_heads(config)
    )
    inner = config.optional("mamba_d_ssm")
    if inner is None and (head := config.optional("mamba_head_dim")):
        inner = heads * head
    expand = config.optional("mamba_expand", "expand") or 2
    inner = inner or expand * hidden
    groups = config.integer("mamba_n_groups", "mamba_ngroups", "n_groups", default=1)
    width = config.integer("mamba_d_state", "ssm_state_size", "state_size", default=128)
    channels = inner + 2 * groups * width
    tally.add(Part.LINEAR, hidden * (inner + channels + heads), layer)
    tally.add(Part.LINEAR, inner * hidden, layer)
    tally.add(Part.REST, channels * 5, layer)
