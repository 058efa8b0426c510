"""Which layers a pipeline stage holds (vLLM: ``distributed/utils.py`` ``get_pp_indices``)."""

from __future__ import annotations

from doctor.memory.errors import OptionError
from doctor.text import _


def stages(layers: int, count: int, partition: tuple[int, ...] = ()) -> tuple[range, ...]:
    """The layer indices of each stage; ``partition`` is ``VLLM_PP_LAYER_PARTITION``.

    Raises ``OptionError`` where there are more stages than layers or the partition does not add up.
    """
    if partition:
        if len(partition) != count or sum(partition) != layers:
            raise OptionError(
                _(
                    "VLLM_PP_LAYER_PARTITION names {given} stages with {sum} layers; "
                    "the model has {layers} layers, --pipeline-parallel-size is {count}",
                    given=len(partition),
                    sum=sum(partition),
                    layers=layers,
                    count=count,
                )
            )
        sizes = list(partition)
    else:
        if count > layers:
            raise OptionError(
                _(
                    "--pipeline-parallel-size {count} is more than the model's {layers} layers",
                    count=count,
                    layers=layers,
                )
            )
        sizes = [layers // count] * count
        # The last stage has the final norm and the head, and is spared.
        for spare in range(2, layers % count + 2):
            sizes[-spare] += 1
    bounds = [sum(sizes[:n]) for n in range(count + 1)]
    return tuple(range(bounds[n], bounds[n + 1]) for n in range(count))
