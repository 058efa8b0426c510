"""What the checks of a memory plan share: how sure they are, and how sizes are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.checkapi import Confidence, Evidence, _, visible

if TYPE_CHECKING:
    from doctor.memory.case import MemoryCase

# The share of a GPU that can be given to vLLM where nothing else uses it.
FULL_SHARE = 0.95


def size(count: int) -> str:
    from doctor.memory.sizes import shown

    return shown(count)


def sure(case: MemoryCase) -> Confidence:
    """An estimate of what activations take is no proof."""
    return Confidence.HIGH if case.exact else Confidence.MEDIUM


def model_evidence(case: MemoryCase) -> Evidence:
    return Evidence(_("model"), visible(case.model.source), visible(case.model.config.architecture))


def memory_evidence(case: MemoryCase) -> tuple[Evidence, ...]:
    """Where the bytes go, as far as that is known."""
    plan, budget = case.likely, case.budget
    found = []
    if case.weights is not None:
        told = _("{size} per GPU ({source})", size=size(case.weights.per_rank),
                 source=case.weights.source)  # fmt: skip
        found.append(Evidence(_("weights"), visible(case.model.source), told))
    if budget is not None and not case.exact:
        share = f"{size(budget.requested)} = {budget.utilization:g} × {size(budget.total)}"
        found.append(Evidence(_("vLLM may use"), case.gpu.name if case.gpu else "", share))
    if plan.available is not None:
        value = size(max(0, plan.available))
        if budget is not None and not case.exact:
            low, high = size(max(0, budget.available.low)), size(max(0, budget.available.high))
            value = _("likely {size}, from {low} to {high}", size=value, low=low, high=high)
        found.append(Evidence(_("left for the KV cache"), "", value))
    return tuple(found)


def share_is_the_fault(case: MemoryCase) -> bool:
    """Whether weights fit the GPU but not the share of it that was asked for."""
    budget = case.budget
    if budget is None or case.exact or case.options.gpu_memory_utilization is None:
        return False
    rest = budget.requested - budget.available.high
    return budget.available.high <= 0 and rest < budget.total * FULL_SHARE * 0.92
