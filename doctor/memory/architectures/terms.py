"""What the shape of a cache depends on besides the model, and what every family builds with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from doctor.memory.config import ModelConfig
from doctor.memory.dtypes import FLOATS, attention_bytes, latent_bytes
from doctor.memory.errors import OptionError
from doctor.memory.specs import Kind, Layer, Spec
from doctor.records import dataclass
from doctor.text import _


@dataclass(frozen=True, slots=True)
class Terms:
    """``tp`` ranks share a layer; ``dtype`` is what the model computes in, ``kv_dtype`` what the
    cache holds ("auto": the same). ``conv_dtype`` and ``state_dtype`` are those of recurrent
    states ("auto": the family's rule). ``speculative`` is the number of drafted tokens,
    ``capability`` the GPU's times ten (0: none is named)."""

    tp: int
    dtype: str
    kv_dtype: str
    conv_dtype: str = "auto"
    state_dtype: str = "auto"
    speculative: int = 0
    windows: bool = True
    capability: int = 0

    @property
    def bytes(self) -> int:
        return FLOATS[self.dtype]

    @property
    def conv_bytes(self) -> int:
        return self.bytes if self.conv_dtype == "auto" else FLOATS[self.conv_dtype]

    def state_bytes(self, rule: str = "auto") -> int:
        """Of the recurrent part: asked for, else the family's ``rule``, else as the convolution."""
        name = self.state_dtype if self.state_dtype != "auto" else rule
        return self.conv_bytes if name == "auto" else FLOATS.get(name, 4)

    def share(self, what: str, count: int) -> int:
        """``count`` split over the ranks. Raises ``OptionError`` where it does not divide."""
        if count % self.tp:
            raise OptionError(
                _(
                    "--tensor-parallel-size {tp} does not divide the model's {count} {what}",
                    tp=self.tp,
                    count=count,
                    what=what,
                )
            )
        return count // self.tp

    def kv_share(self, heads: int) -> int:
        """KV heads of one rank; they are copied where there are more ranks than heads."""
        whole = heads % self.tp if heads >= self.tp else self.tp % heads
        if whole:
            raise OptionError(
                _(
                    "--tensor-parallel-size {tp} does not divide the model's {heads} KV heads, "
                    "nor they it",
                    tp=self.tp,
                    heads=heads,
                )
            )
        return max(1, heads // self.tp)


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's layers before block sizes are known (``block_size`` 1 in their specs).

    ``align`` is the bytes of one token of the attention that recurrent states are aligned to, 0
    where the model has none of both; ``latent`` marks MLA; ``free`` a model without attention.
    """

    layers: tuple[Layer, ...]
    align: int = 0
    latent: bool = False
    free: bool = False

    @property
    def recurrent(self) -> bool:
        return any(layer.spec.kind is Kind.MAMBA for layer in self.layers)


def query_heads(config: ModelConfig) -> int:
    return config.integer("num_attention_heads", "n_head", "n_heads", "num_heads")


def hidden_size(config: ModelConfig) -> int:
    return config.integer("hidden_size", "n_embd", "d_model", "model_dim")


def head_size(config: ModelConfig) -> int:
    """``head_dim``, else hidden size by heads (vLLM: ModelArchConfigConvertorBase)."""
    explicit = config.optional("head_dim", "kv_channels", "attention_head_dim")
    return explicit or max(1, hidden_size(config) // query_heads(config))


def kv_heads(config: ModelConfig) -> int:
    """KV heads of the whole model; without a field, as many as query heads."""
    named = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num")
    return config.optional(*named, "num_attention_groups", low=1) or query_heads(config)


def attention(
    terms: Terms, heads: int, key: int, value: int | None = None, window: int | None = None
) -> Spec:
    """A layer of grouped-query attention of ``heads`` KV heads; sliding where it has a window."""
    mine = terms.kv_share(heads)
    size = mine * attention_bytes(terms.kv_dtype, terms.bytes, key, key if value is None else value)
    role = f"{key}x{value}" if value is not None and value != key else ""
    if window is not None and window > 0 and terms.windows:
        return Spec(Kind.SLIDING, 1, size, span=window, heads=mine, role=role)
    return Spec(Kind.FULL, 1, size, heads=mine, role=role)


def latent(config: ModelConfig, terms: Terms) -> Spec:
    """A layer of multi-head latent attention: one head, on every rank alike."""
    width = config.integer("kv_lora_rank") + config.integer("qk_rope_head_dim", default=0, low=0)
    return Spec(Kind.MLA, 1, latent_bytes(terms.kv_dtype, terms.bytes, width))


def state(size: int, checkpoint: bool = False) -> Spec:
    return Spec(Kind.MAMBA, 1, size, checkpoint=int(checkpoint))


def numbered(specs: Iterable[Spec | None]) -> tuple[Layer, ...]:
    """Layers in order; None is one that keeps nothing."""
    return tuple(Layer(index, spec) for index, spec in enumerate(specs) if spec is not None)


def every(count: int, sliding: Sequence[int | None]) -> Sequence[int | None]:
    return sliding if sliding else [None] * count
