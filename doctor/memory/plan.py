"""The plan as data: what vLLM will do with a model and options, and what follows from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from doctor.memory import versions
from doctor.memory.groups import Group
from doctor.memory.options import Options
from doctor.memory.specs import Kind, Layer, Need
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class LayerRow:
    """Layers of one rank that keep the same; ``span`` is a window or chunk in tokens."""

    spec: str
    count: int
    page_bytes: int
    block_size: int
    span: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes are bytes of one rank (the first pipeline stage's), in vLLM's own sense of each word.

    ``groups`` are those of the whole model; ``stage`` and ``tightest`` the layers of the first and
    of the most demanding stage. ``num_blocks``, ``tokens`` and ``max_concurrency`` are None where
    it is not known how much memory there is.
    """

    options: Options
    max_model_len: int
    model_length: int
    block_size: int
    kv_dtype: str
    dtype: str
    batched_tokens: int
    groups: tuple[Group, ...]
    layers: tuple[Layer, ...]
    stage: range
    tightest: range
    need: Need
    available: int | None
    num_blocks: int | None
    layer_count: int
    latent: bool = False

    @property
    def rows(self) -> tuple[LayerRow, ...]:
        """The layers of the first stage, counted."""
        counts = Counter(layer.spec for layer in self.layers if layer.index in self.stage)
        return tuple(
            LayerRow(spec.kind.value, count, spec.page, spec.block_size, spec.span or None)
            for spec, count in counts.items()
        )

    @property
    def bytes_per_token(self) -> int:
        """What one token takes as long as every attention layer keeps it."""
        mine = (layer.spec for layer in self.layers if layer.index in self.stage)
        kept = (spec for spec in mine if spec.kind is not Kind.MAMBA)
        return round(sum(spec.page / spec.block_size for spec in kept))

    @property
    def bytes_per_block(self) -> int:
        """One block of the pool, over the layers of the first stage."""
        return bytes_per_block(self.groups, self.stage)

    @property
    def blocks_for_one_request(self) -> int:
        """Pool blocks that a request of ``max_model_len`` holds."""
        return self.blocks_for(self.max_model_len)

    @property
    def bytes_for_one_request(self) -> int:
        return self.bytes_per_block * self.blocks_for_one_request

    @property
    def max_concurrency(self) -> float | None:
        """Requests of full length at once, as the start-up log says it."""
        if self.num_blocks is None or not self.groups:
            return None
        return self.num_blocks / self.blocks_for_one_request

    @property
    def tokens(self) -> int | None:
        """The start-up log's "KV cache size"."""
        if self.num_blocks is None or self.max_concurrency is None:
            return None
        return versions.logged_tokens(self, self.num_blocks, self.max_concurrency)

    def blocks_for(self, length: int) -> int:
        """Pool blocks that a request of ``length`` tokens holds at its end."""
        need = replace(self.need, length=length)
        return sum(group.pages_for(need) for group in self.groups)

    def bytes_for(self, length: int) -> int:
        return self.blocks_for(length) * bytes_per_block(self.groups, self.tightest)

    def bytes_held(self, length: int) -> int:
        """What a request of ``length`` tokens keeps while it is answered. The tokens in flight,
        which vLLM's admission counts for each request, are those of all requests together."""
        need = replace(self.need, length=length, in_flight=1)
        blocks = sum(group.pages_for(need) for group in self.groups)
        return blocks * bytes_per_block(self.groups, self.tightest)

    @property
    def bytes_in_flight(self) -> int:
        """What windowed layers keep beyond their windows, once for all requests."""
        local = (Kind.SLIDING, Kind.CHUNKED)
        blocks = sum(
            self.need.in_flight // group.first.block_size
            for group in self.groups
            if group.first.kind in local
        )
        return blocks * bytes_per_block(self.groups, self.tightest)

    @property
    def usable(self) -> int | None:
        """Bytes that requests may fill: the pool keeps one block back."""
        if self.available is None:
            return None
        if not versions.keeps_a_block_back(self.options):
            return self.available
        return self.available - bytes_per_block(self.groups, self.tightest)

    @property
    def one_request_fits(self) -> bool | None:
        """vLLM's own admission check at start-up; None where the memory is not known."""
        if self.usable is None:
            return None
        return not self.groups or self.bytes_for(self.max_model_len) <= self.usable

    @property
    def recurrent(self) -> bool:
        """Whether some layers keep a state."""
        return any(layer.spec.kind is Kind.MAMBA for layer in self.layers)

    @property
    def windowed(self) -> bool:
        """Whether some layers, but not all, forget: then the all-full bound differs."""
        kinds = {group.first.kind for group in self.groups}
        return bool(kinds & {Kind.SLIDING, Kind.CHUNKED})


def bytes_per_block(groups: tuple[Group, ...], stage: range) -> int:
    return max((group.bytes_on(stage) for group in groups), default=0)


def longest_that_fits(plan: Plan, usable: int, requests: int = 1) -> int:
    """The largest max_model_len with which vLLM starts and ``requests`` of it fit at once in
    ``usable`` bytes; 0 where none does."""
    shared = usable - plan.bytes_in_flight

    def fits(length: int) -> bool:
        if plan.bytes_for(length) > usable:
            return False
        return requests == 1 or requests * plan.bytes_held(length) <= shared

    low, high = 0, plan.model_length
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
