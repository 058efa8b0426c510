"""How many tokens a block holds, and how a state's page is made equal to the attention's.

vLLM 0.32.0: ``Platform.update_block_size_for_backend`` and ``_align_hybrid_block_size`` for
kernels that take multiples of 16 tokens (FlashAttention, Triton, FlashInfer).
"""

from __future__ import annotations

from doctor.memory.architectures.terms import Shape
from doctor.memory.errors import OptionError
from doctor.memory.specs import Kind, Layer, ceil_div, replace
from doctor.text import _

KERNEL = 16
_LATENT_KERNEL = 128  # MLA beside states: kernels want 128 tokens at a time


def check_block_size(size: int) -> int:
    """Raises ``OptionError`` for a size that no kernel of a GPU takes."""
    if size % KERNEL or not 0 < size <= 1 << 20:
        raise OptionError(
            _("--block-size {size} is not a multiple of {kernel}", size=size, kernel=KERNEL)
        )
    return size


def with_blocks(
    shape: Shape, asked: int | None, length: int, align: bool
) -> tuple[int, tuple[Layer, ...]]:
    """The block size and the layers with their own.

    ``asked`` is ``--block-size`` or what the attention backend prefers; ``length`` max_model_len;
    ``align`` whether prefix caching keeps states at block boundaries.
    """
    block = KERNEL if asked is None else check_block_size(asked)
    padded = 0
    if shape.recurrent and shape.align:
        block, padded = _aligned(shape, block)
    layers = []
    for layer in shape.layers:
        spec = layer.spec
        if spec.kind is Kind.MAMBA:
            size = block if align else length
            spec = replace(spec, block_size=size, padded=padded)
        elif spec.kind is Kind.SLIDING:
            spec = replace(spec, block_size=max(KERNEL, block // KERNEL * KERNEL))
        else:
            spec = replace(spec, block_size=block)
        layers.append(Layer(layer.index, spec))
    return block, tuple(layers)


def _aligned(shape: Shape, block: int) -> tuple[int, int]:
    """The smallest block whose attention page holds a state, and the page that both then have."""
    state = max(one.spec.page for one in shape.layers if one.spec.kind is Kind.MAMBA)
    unit = max(block, _LATENT_KERNEL) if shape.latent else block
    block = max(block, unit * ceil_div(state, unit * shape.align))
    page = block * shape.align
    return block, page if page != state else 0
