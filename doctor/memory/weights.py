"""Bytes of a model's weights: from the files where they are, else computed from config.json."""

from __future__ import annotations

from doctor.memory.config import ModelConfig
from doctor.memory.dtypes import FLOATS
from doctor.memory.errors import ModelError
from doctor.memory.formats import Scheme, bytes_of, stored_as
from doctor.memory.parameters import count_parameters, is_counted
from doctor.memory.plan import Plan
from doctor.memory.reading import Model
from doctor.memory.tally import Part, Tally
from doctor.records import dataclass
from doctor.text import Text, _


@dataclass(frozen=True, slots=True)
class Weights:
    """``total`` is the whole checkpoint, ``per_rank`` what the fullest rank holds, both in bytes.

    ``source`` says where the figure comes from, ``exact`` whether it was read rather than
    computed. ``scheme`` is how the linear layers are stored; ``partial`` that parts (a vision
    tower) are not in a computed figure. ``expert_bytes`` is the experts' part of ``per_rank``, 0
    where it is not known.
    """

    total: int
    per_rank: int
    source: Text
    exact: bool
    scheme: str
    parameters: int | None = None
    partial: bool = False
    expert_bytes: int = 0


def weights_of(model: Model, made: Plan) -> Weights | None:
    """None where nothing is known."""
    config, options = model.config, made.options
    scheme = stored_as(config, options.quantization)
    tally = _tally(config)
    if model.checkpoint is not None:
        total, source = model.checkpoint.bytes, model.checkpoint.source
        share = 1.0 / options.world
        if tally is not None:
            whole = _bytes(tally.by_part(), made, scheme)
            share = _per_rank(tally, made, scheme) / whole if whole else share
        return Weights(
            total=total,
            per_rank=round(total * share),
            source=source,
            exact=True,
            scheme=scheme.name,
            parameters=None if tally is None else tally.total,
            expert_bytes=0 if tally is None else _experts(tally, made, scheme),
        )
    if tally is None:
        return None
    return Weights(
        total=round(_bytes(tally.by_part(), made, scheme)),
        per_rank=round(_per_rank(tally, made, scheme)),
        source=_("computed from config.json"),
        exact=False,
        scheme=scheme.name,
        parameters=tally.total,
        partial=config.multimodal,
        expert_bytes=_experts(tally, made, scheme),
    )


def _tally(config: ModelConfig) -> Tally | None:
    if not is_counted(config):
        return None
    try:
        return count_parameters(config)
    except ModelError:
        return None  # the cache can be planned all the same


def _bytes(parts: dict[Part, int] | dict[Part, float], made: Plan, scheme: Scheme) -> float:
    return sum(bytes_of(part, count, scheme, FLOATS[made.dtype]) for part, count in parts.items())


def _per_rank(tally: Tally, made: Plan, scheme: Scheme) -> float:
    return max(_bytes(rank, made, scheme) for rank in _ranks(tally, made))


def _experts(tally: Tally, made: Plan, scheme: Scheme) -> int:
    """Bytes of the experts on the rank that has most of them."""
    return round(
        max(
            _bytes({Part.EXPERT: rank.get(Part.EXPERT, 0.0)}, made, scheme)
            for rank in _ranks(tally, made)
        )
    )


def _ranks(tally: Tally, made: Plan) -> list[dict[Part, float]]:
    """What a rank of each stage holds."""
    from doctor.memory.stages import stages

    options = made.options
    parts = stages(made.layer_count, options.pipeline_parallel_size, options.partition)
    return [
        tally.on_rank(
            options.tensor_parallel_size,
            options.data_parallel_size,
            stage,
            n == 0,
            n == len(parts) - 1,
        )
        for n, stage in enumerate(parts)
    ]
