"""How many parameters a model has, by its config.json.

Counted as vLLM builds the model (vocabulary padded to 64 rows). Compared in the tests with the
models that vLLM 0.32.0 builds from the same files.
"""

from __future__ import annotations

from doctor.memory.architectures.terms import head_size, hidden_size, kv_heads, query_heads
from doctor.memory.config import ModelConfig
from doctor.memory.mixers import recurrent, types_of
from doctor.memory.tally import AFTER, BEFORE, Part, Tally

_UNGATED = frozenset(
    {
        "GPT2LMHeadModel", "GPTJForCausalLM", "GPTNeoXForCausalLM", "GPTBigCodeForCausalLM",
        "OPTForCausalLM", "BloomForCausalLM", "FalconForCausalLM", "Starcoder2ForCausalLM",
        "NemotronForCausalLM", "NemotronHForCausalLM", "PhiForCausalLM", "PersimmonForCausalLM",
        "WhisperForConditionalGeneration", "ApertusForCausalLM", "NanoChatForCausalLM",
        "ArceeForCausalLM", "Jais2ForCausalLM",
    }
)  # fmt: skip
_TIED = frozenset(
    {
        "gemma", "gemma2", "gemma3_text", "gemma3n_text", "gemma4_text", "cohere", "cohere2",
        "cohere2_moe", "gpt2", "bloom", "opt", "starcoder2", "falcon", "lfm2", "lfm2_moe", "zamba2",
        "mamba", "falcon_mamba", "phi4mm", "ernie4_5",
    }
)  # fmt: skip


# Whose parameters the fields that are read do not account for.
_UNCOUNTED = frozenset(
    {
        "gemma4_text", "laguna", "longcat_flash", "mimo_v2", "mimo_v2_flash", "minicpm3", "whisper",
        "zamba2",
    }
)  # fmt: skip


def is_counted(config: ModelConfig) -> bool:
    """Whether ``count_parameters`` is to be relied on."""
    return config.text_type not in _UNCOUNTED


def count_parameters(config: ModelConfig) -> Tally:
    """Raises ``ModelError`` where a field that decides is missing."""
    tally = Tally()
    hidden = hidden_size(config)
    vocabulary = -(-config.integer("vocab_size", "padded_vocab_size", default=32_000) // 64) * 64
    width = config.optional("word_embed_proj_dim") or hidden
    tally.add(Part.EMBEDDING, vocabulary * width, BEFORE)
    tied = config.flag("tie_word_embeddings", config.text_type in _TIED)
    tied = config.flag("tie_embedding", tied)
    if not tied and config.text_type not in ("gpt2", "bloom", "opt", "gpt_bigcode"):
        tally.add(Part.HEAD, vocabulary * hidden, AFTER)
    if positions := _learned_positions(config):
        tally.add(Part.EMBEDDING, positions * hidden, BEFORE, copies=True)
    types = types_of(config)
    for layer, kind in enumerate(types):
        if kind in ("attention", "both"):
            _attention(config, tally, layer)
        if kind in ("state", "both"):
            recurrent(config, tally, layer)
        if _has_feed_forward(config, kind):
            _feed_forward(config, tally, layer, kind)
        tally.add(Part.REST, 2 * hidden, layer, copies=True)
    if config.text_type == "gemma3n_text":
        _per_layer_inputs(config, tally)
    _vision(config, tally)
    return tally


def _vision(config: ModelConfig, tally: Tally) -> None:
    """The vision tower, roughly: its layers. Every rank may hold all of it."""
    if not isinstance(config.whole.get("vision_config"), dict):
        return
    tower = ModelConfig(config.whole["vision_config"], config.whole["vision_config"], config.place)
    layers = tower.optional("num_hidden_layers", "depth", high=1024) or 0
    width = tower.optional("embed_dim", "hidden_size") or 0
    inner = tower.optional("intermediate_size") or 4 * width
    tally.add(Part.REST, layers * width * (4 * width + 2 * inner), BEFORE, copies=True)


def _learned_positions(config: ModelConfig) -> int:
    if config.text_type in ("gpt2", "opt", "gpt_bigcode"):
        return config.integer("n_positions", "max_position_embeddings", default=0, low=0) + 2
    return 0


def _attention(config: ModelConfig, tally: Tally, layer: int) -> None:
    hidden, heads = hidden_size(config), query_heads(config)
    lora = config.optional("kv_lora_rank")
    if lora and config.architecture != "Zamba2ForCausalLM":
        _latent(config, tally, layer, lora)
        return
    size, kv = head_size(config), kv_heads(config)
    if config.text_type in ("falcon", "gpt_bigcode") and config.flag("multi_query", True):
        kv = kv if config.flag("new_decoder_architecture") else 1
    if config.text_type == "dbrx":
        kv = config.within("attn_config").integer("kv_n_heads", default=heads)
    inner, outer = hidden, hidden
    if config.architecture == "Zamba2ForCausalLM":
        inner, size, kv = 2 * hidden, 2 * hidden // heads, heads
    queries = heads * size * (2 if config.text_type.startswith(("qwen3_next", "qwen3_5")) else 1)
    tally.add(Part.LINEAR, inner * queries, layer)
    if layer < config.layers - (config.optional("num_kv_shared_layers") or 0):
        tally.add(Part.LINEAR, inner * 2 * kv * size, layer, pieces=kv)
    tally.add(Part.LINEAR, heads * size * outer, layer)


def _latent(config: ModelConfig, tally: Tally, layer: int, lora: int) -> None:
    hidden, heads = hidden_size(config), query_heads(config)
    nope = config.integer("qk_nope_head_dim", default=128)
    rope = config.integer("qk_rope_head_dim", default=64, low=0)
    value = config.integer("v_head_dim", default=128)
    queries = config.optional("q_lora_rank")
    if queries:
        tally.add(Part.LINEAR, hidden * queries, layer, copies=True)
        tally.add(Part.LINEAR, queries * heads * (nope + rope), layer)
    else:
        tally.add(Part.LINEAR, hidden * heads * (nope + rope), layer)
    tally.add(Part.LINEAR, hidden * (lora + rope), layer, copies=True)
    tally.add(Part.LINEAR, lora * heads * (nope + value), layer)
    tally.add(Part.LINEAR, heads * value * hidden, layer)
    if config.find("index_topk") is not None:
        width, keys = config.integer("index_head_dim", default=128), queries or hidden
        indexers = config.integer("index_n_heads", default=64)
        tally.add(Part.LINEAR, keys * indexers * width, layer, copies=True)
        tally.add(Part.LINEAR, hidden * (width + indexers), layer, copies=True)


def _has_feed_forward(config: ModelConfig, kind: str) -> bool:
    if config.architecture == "NemotronHForCausalLM":
        return kind in ("mlp", "moe")
    if config.architecture == "Zamba2ForCausalLM":
        return kind == "both"
    return config.text_type not in ("mamba", "mamba2", "falcon_mamba")


def _feed_forward(config: ModelConfig, tally: Tally, layer: int, kind: str) -> None:
    hidden = hidden_size(config)
    gate = 2 if config.architecture in _UNGATED else 3
    experts = expert_count(config)
    if experts and _is_sparse(config, layer, kind):
        inner = config.optional("moe_intermediate_size", "expert_ffn_hidden_size")
        if config.text_type == "dbrx":
            inner = config.within("ffn_config").integer("ffn_hidden_size")
        inner = inner or config.integer("intermediate_size")
        tally.add(Part.EXPERT, experts * gate * hidden * inner, layer)
        tally.add(Part.REST, experts * hidden, layer, copies=True)
        tally.add(Part.LINEAR, gate * hidden * _shared(config, inner), layer)
        return
    tally.add(Part.LINEAR, gate * hidden * dense_size(config, layer), layer)


def dense_size(config: ModelConfig, layer: int) -> int:
    """The width of a dense layer's feed-forward part."""
    if config.text_type == "llama4_text":
        return config.integer("intermediate_size_mlp", default=16_384)
    if config.text_type in ("lfm2", "lfm2_moe") and config.flag("block_auto_adjust_ff_dim"):
        unit = config.integer("block_multiple_of", default=256)
        width = 2 * config.integer("block_ff_dim", "intermediate_size") // 3
        return -(-int(config.number("block_ffn_dim_multiplier", 1.0) * width) // unit) * unit
    if config.text_type == "granitemoehybrid":
        return config.integer("shared_intermediate_size", "intermediate_size")
    sizes = config.find("intermediate_size")
    if isinstance(sizes, list) and sizes:
        several = config.integers("intermediate_size") or (0,)
        return several[min(layer, len(several) - 1)]
    names = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "d_inner")
    return config.optional(*names, "decoder_ffn_dim", low=1) or 4 * hidden_size(config)


def expert_count(config: ModelConfig) -> int:
    """Routed experts of a sparse layer, 0 for a dense model."""
    if config.text_type == "dbrx":
        return config.within("ffn_config").integer("moe_num_experts", default=0, low=0)
    names = ("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
    return config.optional(*names) or 0


def _shared(config: ModelConfig, inner: int) -> int:
    """Width of the experts that every token passes."""
    explicit = config.optional(
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "shared_intermediate_size",
    )
    if explicit:
        return explicit
    if config.text_type == "llama4_text":
        return inner
    names = ("n_shared_experts", "moe_num_shared_experts", "num_shared_experts")
    return (config.optional(*names) or 0) * inner


def _is_sparse(config: ModelConfig, layer: int, kind: str) -> bool:
    if kind in ("mlp", "moe"):
        return kind == "moe"
    match config.text_type:
        case "llama4_text":
            step = config.integer("interleave_moe_layer_step", default=1)
            return (layer + 1) % step == 0
        case "jamba":
            period = config.integer("expert_layer_period", default=2)
            return layer % period == config.integer("expert_layer_offset", default=1, low=0)
        case "ernie4_5_moe":
            first = config.integer("moe_layer_start_index", default=1, low=0)
            return layer >= first
    if layer in (config.integers("mlp_only_layers") or ()):
        return False
    if layer < config.integer("first_k_dense_replace", "num_dense_layers", default=0, low=0):
        return False
    return (layer + 1) % config.integer("decoder_sparse_step", default=1) == 0


def _per_layer_inputs(config: ModelConfig, tally: Tally) -> None:
    """Gemma 3n: embeddings of each layer's own, several residual streams, low-rank paths."""
    hidden, layers = hidden_size(config), config.layers
    width = config.integer("hidden_size_per_layer_input", default=256)
    words = config.integer("vocab_size_per_layer_input", default=262_144)
    tally.add(Part.EMBEDDING, words * width * layers, BEFORE)
    tally.add(Part.LINEAR, hidden * width * layers, BEFORE)
    streams = config.integer("altup_num_inputs", default=4)
    tally.add(Part.LINEAR, 2 * (streams - 1) * hidden * hidden, BEFORE, copies=True)
    rank = config.integer("laurel_rank", default=64)
    for layer in range(layers):
        tally.add(Part.LINEAR, 2 * hidden * (rank + width), layer, copies=True)
