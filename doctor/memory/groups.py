"""Layers that share a block table: vLLM's KV-cache groups (facts/vllm.md §4.3).

All groups draw their blocks from one pool, so a block of the pool is as large as the largest
group needs it. vLLM 0.32.0: ``v1/core/kv_cache_utils.py`` ``get_kv_cache_groups``, for layouts
whose outermost dimension is the layer (the default).
"""

from __future__ import annotations

from collections.abc import Sequence

from doctor.memory.errors import OptionError
from doctor.memory.specs import FULL_KINDS, Kind, Layer, Need, Spec, ceil_div, replace
from doctor.records import dataclass
from doctor.text import _


@dataclass(frozen=True, slots=True)
class Group:
    """``mixed`` groups hold layers of different pages; their page is the sum."""

    layers: tuple[Layer, ...]
    mixed: bool = False

    @property
    def first(self) -> Spec:
        return self.layers[0].spec

    @property
    def page(self) -> int:
        """Bytes of a block of the group's spec, as vLLM calls it."""
        if self.mixed:
            return sum(layer.spec.page for layer in self.layers)
        return self.first.page

    def bytes_on(self, stage: range) -> int:
        """Bytes that one pool block needs for this group's layers of a pipeline stage."""
        return sum(layer.spec.page for layer in self.layers if layer.index in stage)

    def pages_for(self, need: Need) -> int:
        """Blocks that one request of full length takes from the pool."""
        if self.mixed:
            return max(layer.spec.pages_for(need) for layer in self.layers)
        return self.first.pages_for(need)


def grouped(layers: Sequence[Layer], hybrid: bool, slack: float = 1.5) -> tuple[Group, ...]:
    """The groups of a model. ``hybrid`` False is ``--disable-hybrid-kv-cache-manager``; ``slack``
    is ``versions.group_slack``.

    Raises ``OptionError`` where vLLM would not start.
    """
    if not hybrid:
        layers = promoted(layers)
    if not layers:
        return ()
    specs = {_identity(layer.spec) for layer in layers}
    if len(specs) == 1:
        return (Group(tuple(layers)),)
    if _uniform(layers):
        return (Group(tuple(layers), mixed=True),)
    return _split(_equal_pages(layers), slack)


def promoted(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Windowed and chunked layers as full ones, where the model has both."""
    if not layers or _uniform(layers):
        return tuple(layers)
    local = (Kind.SLIDING, Kind.CHUNKED)
    kinds = {layer.spec.kind for layer in layers}
    changed = tuple(
        Layer(one.index, replace(one.spec, kind=Kind.FULL, span=0))
        if one.spec.kind in local and kinds & FULL_KINDS
        else one
        for one in layers
    )
    if not _uniform(changed):
        raise OptionError(
            _("--disable-hybrid-kv-cache-manager: this model's layers cannot be stored as one kind")
        )
    return changed


def _identity(spec: Spec) -> Spec:
    return replace(spec, span=0) if spec.kind in FULL_KINDS else spec


def _uniform(layers: Sequence[Layer]) -> bool:
    """Whether all layers always need the same number of token slots."""
    specs = [layer.spec for layer in layers]
    first = specs[0]
    if len({spec.block_size for spec in specs}) > 1:
        return False
    match first.kind:
        case Kind.FULL | Kind.MLA | Kind.SINK:
            return all(spec.kind in FULL_KINDS for spec in specs)
        case Kind.SLIDING | Kind.CHUNKED:
            return all(spec.kind is first.kind and spec.span == first.span for spec in specs)
        case Kind.MAMBA:
            alike = {(spec.kind, spec.page, spec.checkpoint) for spec in specs}
            return len(alike) == 1
        case Kind.CROSS:
            return all(spec.kind is Kind.CROSS for spec in specs)


def _equal_pages(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Smaller pages take more tokens per block, or are padded where that does not divide."""
    largest = max(layer.spec.page for layer in layers)
    out = []
    for layer in layers:
        spec = layer.spec
        if spec.page == largest:
            out.append(layer)
            continue
        if spec.kind is not Kind.MAMBA and largest % spec.page == 0:
            spec = replace(spec, block_size=spec.block_size * (largest // spec.page))
        elif spec.kind is Kind.MLA:
            raise OptionError(_("vLLM cannot bring this model's cache pages to one size"))
        else:
            spec = replace(spec, padded=largest)
        out.append(Layer(layer.index, spec))
    return tuple(out)


def _split(layers: Sequence[Layer], slack: float) -> tuple[Group, ...]:
    """Buckets of equal specs, each cut into groups of about as many layers as the smallest."""
    buckets: dict[Spec, list[Layer]] = {}
    for layer in layers:
        buckets.setdefault(_identity(layer.spec), []).append(layer)
    counts = [len(bucket) for bucket in buckets.values()]
    size = min(counts)
    if max(counts) < size * slack:
        size = max(counts)
    groups: list[Group] = []
    for bucket in buckets.values():
        pieces = ceil_div(len(bucket), size)
        groups += [Group(tuple(bucket[n::pieces])) for n in range(pieces)]
    return tuple(groups)
