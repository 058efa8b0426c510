"""Models of attention alone: one KV cache per layer, whatever surrounds it."""

from __future__ import annotations

from doctor.memory.architectures.terms import (
    Shape,
    Terms,
    attention,
    head_size,
    kv_heads,
    latent,
    numbered,
    query_heads,
)
from doctor.memory.architectures.windows import FULL, layer_types, model_window, windows
from doctor.memory.config import MAX_LAYERS, ModelConfig
from doctor.memory.specs import Kind, Layer, Spec, replace
from doctor.text import _


def plain(config: ModelConfig, terms: Terms) -> Shape:
    """Grouped-query attention in every layer, windows as the file and the type have them."""
    heads, size = kv_heads(config), head_size(config)
    terms.share(_("attention heads"), query_heads(config))
    return Shape(numbered(attention(terms, heads, size, window=w) for w in windows(config)))


def multi_head(config: ModelConfig, terms: Terms) -> Shape:
    """As many KV heads as query heads, head size by division (GPT-2, OPT, BLOOM, GPT-J)."""
    heads = query_heads(config)
    terms.share(_("attention heads"), heads)
    size = max(1, config.integer("hidden_size", "n_embd") // heads)
    return Shape(numbered([attention(terms, heads, size)] * config.layers))


def falcon(config: ModelConfig, terms: Terms) -> Shape:
    """One KV head where ``multi_query`` says so, unless the newer block is used."""
    heads = query_heads(config)
    newer = config.flag("new_decoder_architecture")
    kv = 1 if config.flag("multi_query", True) and not newer else kv_heads(config)
    size = config.integer("hidden_size", "n_embd") // heads
    return Shape(numbered([attention(terms, kv, max(1, size))] * config.layers))


def dbrx(config: ModelConfig, terms: Terms) -> Shape:
    heads = query_heads(config)
    kv = config.within("attn_config").integer("kv_n_heads", default=heads)
    return Shape(
        numbered([attention(terms, kv, config.integer("d_model") // heads)] * config.layers)
    )


def single_head(config: ModelConfig, terms: Terms) -> Shape:
    """Step3: one KV head whatever the file says."""
    size = config.integer("head_dim", default=256)
    return Shape(numbered([attention(terms, 1, size)] * config.layers))


def minicpm3(config: ModelConfig, terms: Terms) -> Shape:
    """Latent projections, but the cache holds full keys and padded values of every head."""
    size = config.integer("qk_nope_head_dim") + config.integer("qk_rope_head_dim")
    heads = query_heads(config)
    return Shape(numbered([attention(terms, heads, size)] * config.layers))


def per_layer_heads(config: ModelConfig, terms: Terms) -> Shape:
    """DeciLM (Nemotron NAS): ``block_configs`` gives each layer its group size, or none."""
    heads, size = query_heads(config), head_size(config)
    specs: list[Spec | None] = []
    blocks = config.find("block_configs")
    if not isinstance(blocks, list) or len(blocks) > MAX_LAYERS:
        raise config.refused("block_configs", blocks, _("a list of layers"))
    for block in blocks:
        inner = block.get("attention") if isinstance(block, dict) else None
        if not isinstance(inner, dict):
            raise config.refused("block_configs", block, _("a layer with 'attention'"))
        group = inner.get("n_heads_in_group")
        if inner.get("no_op") or inner.get("replace_with_linear") or not group:
            specs.append(None)
        elif not isinstance(group, int) or not 0 < group <= heads:
            raise config.refused("n_heads_in_group", group, _("at most the number of heads"))
        else:
            specs.append(attention(terms, heads // group, size))
    return Shape(numbered(specs))


def shared(config: ModelConfig, terms: Terms) -> Shape:
    """Gemma 3n: the last ``num_kv_shared_layers`` layers use the cache of earlier ones."""
    whole = plain(config, terms)
    kept = config.layers - config.integer("num_kv_shared_layers", default=15, low=0)
    return Shape(tuple(layer for layer in whole.layers if layer.index < kept))


def gemma4(config: ModelConfig, terms: Terms) -> Shape:
    """Global layers have larger heads, and may have fewer; the last layers may share."""
    types = layer_types(config, model_window(config)) or (FULL,) * config.layers
    types = (*types[:-1], FULL)
    local, heads = head_size(config), kv_heads(config)
    size = config.integer("global_head_dim", default=512)
    fewer = config.optional("num_global_key_value_heads")
    far = fewer if fewer and config.flag("attention_k_eq_v") else heads
    kept = config.layers - config.integer("num_kv_shared_layers", default=0, low=0)
    window = model_window(config)
    specs = (
        attention(terms, far, size)
        if one == FULL
        else attention(terms, heads, local, window=window)
        for one in types[:kept]
    )
    return Shape(numbered(specs))


def mimo_v2(config: ModelConfig, terms: Terms) -> Shape:
    """Windowed layers have heads of their own, and values are narrower than keys."""
    pattern = config.integers("hybrid_layer_pattern") or ()
    near = attention(
        terms,
        config.integer("swa_num_key_value_heads"),
        config.integer("swa_head_dim"),
        config.optional("swa_v_head_dim"),
        window=config.integer("sliding_window_size", "sliding_window"),
    )
    far = attention(terms, kv_heads(config), head_size(config), config.optional("v_head_dim"))
    return Shape(numbered(near if one == 1 else far for one in pattern[: config.layers]))


def chunked(config: ModelConfig, terms: Terms) -> Shape:
    """Llama 4: layers with rotary positions attend within their chunk only."""
    heads, size = kv_heads(config), head_size(config)
    full = attention(terms, heads, size)
    span = config.optional("attention_chunk_size") or 0
    near = Spec(Kind.CHUNKED, 1, full.per_state, span=span, heads=full.heads) if span else full
    no_rope = config.integers("no_rope_layers")
    every = config.integer("no_rope_layer_interval", default=4)
    rotary = (
        [bool(n) for n in no_rope]
        if no_rope
        else [(n + 1) % every != 0 for n in range(config.layers)]
    )
    return Shape(numbered(near if turned else full for turned in rotary[: config.layers]))


def multi_latent(config: ModelConfig, terms: Terms) -> Shape:
    """DeepSeek V2 and V3, Kimi K2, GLM-4.7 Flash: MLA in every layer."""
    terms.share(_("attention heads"), query_heads(config))
    return Shape(numbered([latent(config, terms)] * config.layers), latent=True)


def doubly_latent(config: ModelConfig, terms: Terms) -> Shape:
    """LongCat: two attentions per decoder layer."""
    one = latent(config, terms)
    layers = config.integer("num_layers", "num_hidden_layers", high=MAX_LAYERS)
    return Shape(tuple(Layer(n, one) for n in range(layers) for _half in "ab"), latent=True)


def sparse_latent(config: ModelConfig, terms: Terms) -> Shape:
    """DeepSeek V3.2, GLM-5: beside the latent a cache of the indexer's keys, fp8 with a scale.

    facts/vllm.md §4.2: 128 bytes and a float32 scale for each 128 of ``index_head_dim``. Layers
    that take over an earlier one's choice keep none (``models/deepseek_v32/attention.py``).
    """
    width = config.integer("index_head_dim", default=128)
    index = Spec(Kind.MLA, 1, width + 4 * -(-width // 128), role="indexer")
    one = latent(config, replace(terms, kv_dtype=_sparse_dtype(config, terms)))
    every = config.integer("index_topk_freq", default=1)
    offset = config.integer("index_skip_topk_offset", default=2, low=0)
    pattern = config.find("index_topk_pattern")

    def keeps(layer: int) -> bool:
        if isinstance(pattern, str):
            return pattern[layer : layer + 1] != "S"
        return max(layer - offset + 1, 0) % every == 0

    layers: list[Layer] = []
    for number in range(config.layers):
        layers.append(Layer(number, one))
        if keeps(number):
            layers.append(Layer(number, index))
    return Shape(tuple(layers), latent=True)


def _sparse_dtype(config: ModelConfig, terms: Terms) -> str:
    """What the sparse kernels make of ``--kv-cache-dtype``: FlashMLA has a packed fp8 format."""
    dtype, blackwell = terms.kv_dtype, 100 <= terms.capability < 110
    if dtype == "bfloat16":
        dtype = "auto"
    if dtype == "auto" and config.text_type == "glm_moe_dsa" and blackwell:
        return "fp8_e4m3"
    if terms.capability >= 120 and dtype in ("auto", "fp8", "fp8_e4m3"):
        return "fp8_ds_mla"
    if dtype.startswith("fp8") and not blackwell:
        return "fp8_ds_mla"
    return dtype


def whisper(config: ModelConfig, terms: Terms) -> Shape:
    """A decoder whose layers attend to themselves and to the encoder."""
    heads = config.integer("decoder_attention_heads")
    size = config.integer("d_model") // heads
    own = attention(terms, heads, max(1, size))
    across = Spec(Kind.CROSS, 1, own.per_state, heads=own.heads)
    layers = config.integer("decoder_layers", high=MAX_LAYERS)
    return Shape(tuple(Layer(n, spec) for n in range(layers) for spec in (own, across)))
