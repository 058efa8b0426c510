"""Plans: what vLLM will do with a model and these options, by its own rules.

``plan(config, options)`` is arithmetic only: it reads no file and asks nobody.
"""

from __future__ import annotations

from dataclasses import replace

from doctor.memory import versions
from doctor.memory.architectures import shape
from doctor.memory.architectures.terms import Shape, Terms
from doctor.memory.architectures.windows import model_window
from doctor.memory.blocks import with_blocks
from doctor.memory.config import ModelConfig
from doctor.memory.defaults import batched_tokens, in_flight, preferred_block
from doctor.memory.drafts import with_drafts
from doctor.memory.dtypes import check_kv_dtype, checkpoint_kv_dtype, model_dtype
from doctor.memory.errors import OptionError
from doctor.memory.groups import grouped
from doctor.memory.lengths import default_length, model_length
from doctor.memory.options import Options
from doctor.memory.plan import Plan, bytes_per_block, longest_that_fits
from doctor.memory.specs import Kind, Layer, Need
from doctor.memory.stages import stages
from doctor.text import _


def plan(config: ModelConfig, options: Options) -> Plan:
    """Raises ``ModelError`` and ``OptionError``, whose texts name the field or the flag."""
    versions.check(options)
    dtype = model_dtype(config, options.dtype)
    kv_dtype = check_kv_dtype(options.kv_cache_dtype)
    if kv_dtype == "auto":
        kv_dtype = checkpoint_kv_dtype(config)
    terms = terms_of(options, dtype, kv_dtype)
    own = shape(config, terms)
    count = config.layers if _counted(config) else _last(own.layers)
    found, drafted = with_drafts(config, options, own, terms, count)
    _check_ranks(options, found)
    length, longest = _lengths(config, options)
    prefix = options.enable_prefix_caching
    align = found.recurrent and not found.free if prefix is None else prefix and found.recurrent
    if not versions.takes_checkpoints(options):
        found = replace(found, layers=tuple(map(_without_checkpoint, found.layers)))
    block, layers = with_blocks(found, preferred_block(options, found), length, align)
    parts = stages(count, options.pipeline_parallel_size, options.partition)
    # A draft runs behind the last stage.
    parts = (*parts[:-1], range(parts[-1].start, count + drafted))
    groups = grouped(layers, versions.hybrid_manager(options), versions.group_slack(options))
    batched = batched_tokens(options, length, found)
    need = Need(
        length=length,
        in_flight=in_flight(options, batched),
        shards=options.decode_context_parallel_size,
        encoder=batched,  # max_num_encoder_input_tokens is set to it
        align=align,
        speculative=options.speculative_tokens,
    )
    tightest = max(parts, key=lambda stage: bytes_per_block(groups, stage))
    made = Plan(
        options=options,
        max_model_len=length,
        model_length=longest,
        block_size=block,
        kv_dtype=kv_dtype,
        dtype=dtype,
        batched_tokens=batched,
        groups=groups,
        layers=layers,
        stage=parts[0],
        tightest=tightest,
        need=need,
        available=None,
        num_blocks=None,
        layer_count=count,
        latent=found.latent,
    )
    return with_memory(made, _available(options, made))


def with_memory(made: Plan, available: int | None) -> Plan:
    """The plan with ``available`` bytes for the KV cache of each rank; None: not known."""
    if available is None:
        return made
    per_block = bytes_per_block(made.groups, made.tightest)
    if made.options.num_gpu_blocks_override is not None:
        blocks = made.options.num_gpu_blocks_override
        available = blocks * per_block
    else:
        blocks = max(0, available) // per_block if per_block else 1
    filled = replace(made, available=available, num_blocks=blocks)
    if made.options.max_model_len == -1 and filled.usable is not None and made.groups:
        fitting = longest_that_fits(filled, filled.usable)
        if 0 < fitting < made.max_model_len:
            filled = replace(filled, max_model_len=fitting, need=replace(made.need, length=fitting))
    return filled


def _available(options: Options, made: Plan) -> int | None:
    if options.kv_cache_memory_bytes is not None:
        return options.kv_cache_memory_bytes
    if options.num_gpu_blocks_override is not None:
        return 0
    return options.available


def terms_of(options: Options, dtype: str, kv_dtype: str) -> Terms:
    return Terms(
        tp=options.tensor_parallel_size,
        dtype=dtype,
        kv_dtype=kv_dtype,
        conv_dtype=options.mamba_cache_dtype,
        state_dtype=options.mamba_ssm_cache_dtype,
        speculative=options.speculative_tokens,
        windows=not options.disable_sliding_window,
        capability=options.capability,
    )


def _without_checkpoint(layer: Layer) -> Layer:
    return replace(layer, spec=replace(layer.spec, checkpoint=0))


def _lengths(config: ModelConfig, options: Options) -> tuple[int, int]:
    longest = model_length(config)
    if options.disable_sliding_window and (window := model_window(config)):
        longest = min(longest, window)
    asked = options.max_model_len
    if asked is None or asked == -1:
        return min(default_length(config), longest), longest
    return asked, max(longest, asked)


def _counted(config: ModelConfig) -> bool:
    return config.find("num_hidden_layers", "n_layer", "n_layers", "num_layers") is not None


def _last(layers: tuple[Layer, ...]) -> int:
    return max((layer.index for layer in layers), default=0) + 1


def _check_ranks(options: Options, found: Shape) -> None:
    tp, dcp = options.tensor_parallel_size, options.decode_context_parallel_size
    if dcp == 1:
        return
    if tp % dcp:
        raise OptionError(
            _("--decode-context-parallel-size {dcp} does not divide {tp} ranks", dcp=dcp, tp=tp)
        )
    if any(layer.spec.kind is Kind.SLIDING for layer in found.layers):
        raise OptionError(_("vLLM does not share sliding-window caches over context ranks"))
