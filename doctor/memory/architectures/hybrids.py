"""Models whose layers keep a recurrent state instead of, or beside, keys and values.

State shapes: vLLM 0.32.0 ``model_executor/layers/mamba/mamba_utils.py`` and each model's
``get_mamba_state_shape_from_config``.
"""

from __future__ import annotations

from doctor.memory.architectures.states import (
    delta_net,
    kimi_delta,
    mamba1,
    mamba2,
    short_convolution,
)
from doctor.memory.architectures.terms import (
    Shape,
    Terms,
    attention,
    head_size,
    kv_heads,
    latent,
    numbered,
    query_heads,
    state,
)
from doctor.memory.config import ModelConfig
from doctor.memory.specs import Layer, Spec
from doctor.text import _

_ATTENTION = frozenset({"attention", "full_attention", "hybrid", "*"})
_STATE = frozenset({"mamba", "mamba2", "linear_attention", "conv", "M"})


def _mixed(config: ModelConfig, terms: Terms, types: tuple[str, ...], recurrent: Spec) -> Shape:
    """Layers of attention and of ``recurrent``; words of neither kind keep nothing."""
    full = attention(terms, kv_heads(config), head_size(config))
    specs = (full if one in _ATTENTION else recurrent if one in _STATE else None for one in types)
    return Shape(numbered(specs), align=full.per_state)


def jamba(config: ModelConfig, terms: Terms) -> Shape:
    period = config.integer("attn_layer_period", default=8)
    offset = config.integer("attn_layer_offset", default=4, low=0)
    types = tuple("attention" if n % period == offset else "mamba" for n in range(config.layers))
    inner = config.integer("mamba_expand", default=2) * config.integer("hidden_size")
    size = mamba1(
        terms,
        inner,
        config.integer("mamba_d_state", default=16),
        config.integer("mamba_d_conv", default=4),
    )
    return _mixed(config, terms, types, state(size))


def falcon_h1(config: ModelConfig, terms: Terms) -> Shape:
    """Every layer has attention and a Mamba2 mixer side by side."""
    inner = config.optional("mamba_d_ssm") or int(
        config.number("mamba_expand", 2) * config.integer("hidden_size")
    )
    mixer = state(
        mamba2(
            terms,
            inner,
            groups=config.integer("mamba_n_groups", default=1),
            heads=config.integer("mamba_n_heads", default=128),
            head=config.integer("mamba_d_head", default=64),
            width=config.integer("mamba_d_state", default=256),
            kernel=config.integer("mamba_d_conv", default=4),
        ),
        checkpoint=True,
    )
    full = attention(terms, kv_heads(config), head_size(config))
    pairs = (Layer(n, spec) for n in range(config.layers) for spec in (full, mixer))
    return Shape(tuple(pairs), align=full.per_state)


def granite(config: ModelConfig, terms: Terms) -> Shape:
    types = config.types("layer_types", "layers_block_type", default=("mamba",) * config.layers)
    size = mamba2(
        terms,
        config.integer("mamba_expand", default=2) * config.integer("hidden_size"),
        groups=config.integer("mamba_n_groups", default=1),
        heads=config.integer("mamba_n_heads", default=128),
        head=config.integer("mamba_d_head", default=64),
        width=config.integer("mamba_d_state", default=256),
        kernel=config.integer("mamba_d_conv", default=4),
    )
    return _mixed(config, terms, types, state(size, checkpoint=True))


def nemotron_h(config: ModelConfig, terms: Terms) -> Shape:
    pattern = config.find("hybrid_override_pattern")
    if isinstance(pattern, str):
        types = tuple(pattern[: config.layers])
    else:
        types = config.types("layers_block_type", "layer_types", default=())
        if not types:
            raise config.refused("hybrid_override_pattern", pattern, _("a word per layer"))
    heads = config.integer("mamba_num_heads", default=128)
    head = config.integer("mamba_head_dim", default=64)
    # vLLM: NemotronHForCausalLMConfig, float32 where the file names no dtype.
    rule = config.find("mamba_ssm_cache_dtype")
    size = mamba2(
        terms,
        heads * head,
        groups=config.integer("n_groups", "mamba_n_groups", default=8),
        heads=heads,
        head=head,
        width=config.integer("ssm_state_size", "mamba_d_state", default=128),
        kernel=config.integer("conv_kernel", "mamba_d_conv", default=4),
        rule=rule if isinstance(rule, str) else "float32",
    )
    return _mixed(config, terms, types, state(size, checkpoint=True))


def zamba2(config: ModelConfig, terms: Terms) -> Shape:
    """Every layer is a Mamba2 mixer, the hybrid ones have attention besides."""
    types = config.types("layers_block_type", default=())
    if not types:
        ids = config.integers("hybrid_layer_ids") or ()
        types = tuple("hybrid" if n in ids else "mamba" for n in range(config.layers))
    heads = query_heads(config)
    size = config.optional("attention_head_dim") or 2 * config.integer("hidden_size") // heads
    full = attention(terms, heads, size)
    mixer = state(
        mamba2(
            terms,
            config.integer("mamba_expand", default=2) * config.integer("hidden_size"),
            groups=config.integer("mamba_ngroups", default=1),
            heads=config.integer("n_mamba_heads", default=8),
            head=config.integer("mamba_headdim", default=0, low=0)
            or config.integer("mamba_expand", default=2)
            * config.integer("hidden_size")
            // config.integer("n_mamba_heads", default=8),
            width=config.integer("mamba_d_state", default=64),
            kernel=config.integer("mamba_d_conv", default=4),
        ),
        checkpoint=True,
    )
    layers = (
        Layer(n, spec)
        for n, one in enumerate(types)
        for spec in ((full, mixer) if one == "hybrid" else (mixer,))
    )
    return Shape(tuple(layers), align=full.per_state)


def qwen3_next(config: ModelConfig, terms: Terms) -> Shape:
    """Qwen3-Next, Qwen3.5: gated delta nets, full attention every fourth layer."""
    every = config.integer("full_attention_interval", default=4)
    by_rule = [
        "linear_attention" if (n + 1) % every else "full_attention" for n in range(config.layers)
    ]
    types = config.types("layer_types", default=by_rule)
    rule = config.find("mamba_ssm_dtype") if config.text_type.startswith("qwen3_5") else None
    size = delta_net(config, terms, rule if isinstance(rule, str) else "auto")
    return _mixed(config, terms, types, state(size))


def olmo_hybrid(config: ModelConfig, terms: Terms) -> Shape:
    types = config.types("layer_types", default=())
    if not types:
        raise config.refused("layer_types", None, _("a word per layer"))
    return _mixed(config, terms, types, state(delta_net(config, terms)))


def lfm2(config: ModelConfig, terms: Terms) -> Shape:
    full = config.integers("full_attn_idxs")
    by_rule = [
        "full_attention" if full is None or n in full else "conv" for n in range(config.layers)
    ]
    types = config.types("layer_types", default=by_rule)
    width = config.integer("conv_dim", "hidden_size")
    size = short_convolution(terms, width, config.integer("conv_L_cache", default=3))
    return _mixed(config, terms, types, state(size))


def kimi_linear(config: ModelConfig, terms: Terms) -> Shape:
    """MLA where ``full_attn_layers`` says so (counted from 1), Kimi delta attention elsewhere."""
    linear = config.within("linear_attn_config")
    full = linear.integers("full_attn_layers") or ()
    one = latent(config, terms)
    size = kimi_delta(
        terms,
        linear.integer("num_heads"),
        linear.integer("head_dim"),
        linear.integer("short_conv_kernel_size", default=4),
    )
    specs = (one if n + 1 in full else state(size) for n in range(config.layers))
    return Shape(numbered(specs), align=one.per_state, latent=True)


def mamba(config: ModelConfig, terms: Terms) -> Shape:
    """No attention at all: one state per layer."""
    inner = config.optional("intermediate_size") or 2 * config.integer("hidden_size")
    size = mamba1(terms, inner, config.integer("state_size"), config.integer("conv_kernel"))
    return Shape(numbered([state(size)] * config.layers), free=True)


def mamba_2(config: ModelConfig, terms: Terms) -> Shape:
    size = mamba2(
        terms,
        config.integer("expand", default=2) * config.integer("hidden_size"),
        groups=config.integer("n_groups", default=8),
        heads=config.integer("num_heads", default=128),
        head=config.integer("head_dim", default=64),
        width=config.integer("state_size", default=128),
        kernel=config.integer("conv_kernel", default=4),
    )
    return Shape(numbered([state(size, checkpoint=True)] * config.layers), free=True)
