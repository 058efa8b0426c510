"""One question to the planner and all that follows from it: the value of the fact MEMORY."""

from __future__ import annotations

from dataclasses import replace

from doctor.memory.budget import Budget, budget_of
from doctor.memory.demand import Demand
from doctor.memory.gpus import Gpu
from doctor.memory.options import Options
from doctor.memory.plan import Plan
from doctor.memory.planner import plan, with_memory
from doctor.memory.reading import Model
from doctor.memory.weights import Weights, weights_of
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class MemoryCase:
    """``likely`` is the plan with the estimated memory, ``best`` and ``worst`` those with the ends
    of the estimate's range; all three are the same where the memory is given
    (``--kv-cache-memory-bytes``), and then ``exact`` is True."""

    model: Model
    options: Options
    weights: Weights | None
    gpu: Gpu | None
    budget: Budget | None
    demand: Demand
    likely: Plan
    best: Plan
    worst: Plan
    exact: bool

    @property
    def memory_known(self) -> bool:
        return self.likely.available is not None


def case_of(model: Model, options: Options, gpu: Gpu | None, demand: Demand) -> MemoryCase:
    """Raises ``ModelError`` and ``OptionError``."""
    if gpu is not None:
        options = replace(
            options, gpu_memory=gpu.total, gpu_name=gpu.name, capability=gpu.capability
        )
    made = plan(model.config, options)
    weights = weights_of(model, made)
    budget = None
    if gpu is not None and weights is not None:
        budget = budget_of(model.config, made, weights, gpu.total)
    likely = best = worst = made
    exact = made.available is not None
    if budget is not None and not exact:
        likely = with_memory(made, budget.available.likely)
        best = with_memory(made, budget.available.high)
        worst = with_memory(made, budget.available.low)
    return MemoryCase(model, options, weights, gpu, budget, demand, likely, best, worst, exact)


def variant(case: MemoryCase, **changes: object) -> MemoryCase:
    """The same question with other options. Raises as ``case_of``."""
    options = replace(case.options, **changes)  # type: ignore[arg-type]
    return case_of(case.model, options, case.gpu, case.demand)
