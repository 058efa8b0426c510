"""The memory plan of a launch line, where the GPU and the model are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from doctor.launch.model import Launch
from doctor.launch.models import model_of

if TYPE_CHECKING:
    from doctor.memory.case import MemoryCase


def memory_case(launch: Launch) -> MemoryCase | None:
    """None where the memory of the GPU was not told, or the planner does not know the model."""
    gpu = launch.gpu
    name = launch.config.place if launch.config is not None else model_of(launch)
    if gpu is None or gpu.memory is None or not name:
        return None
    from doctor.memory.case import case_of
    from doctor.memory.demand import demand_of
    from doctor.memory.errors import ModelError, OptionError
    from doctor.memory.flags import options_of, overridden
    from doctor.memory.gpus import Gpu
    from doctor.memory.reading import find_model

    try:
        model = find_model(name)
        model = replace(model, config=overridden(model.config, launch))
        card = Gpu(gpu.name, gpu.memory, gpu.capability or 0, gpu.count)
        return case_of(model, options_of(launch), card, demand_of(None, None))
    except (ModelError, OptionError):
        return None
