"""KVD805."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import live
from checks.memory._gpus import READS, gib, gpus_of_engine
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.facts.gpus import Gpu, GpuProcess

# A desktop, a context of the driver: not worth a word.
_SMALL = 256 * 2**20
# With less of a GPU no engine is worth starting.
_USEFUL = 0.2


@check(
    code="KVD805",
    slug="gpu-shared-with-others",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=(*READS, facts.METRICS, facts.METRICS_LATER),
    blocking=False,
)
async def gpu_shared_with_others(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Other processes hold memory of the engine's GPU that the engine was promised.

    What it checks: the memory of each process on a GPU where a vLLM process runs, against the
    share that `--gpu-memory-utilization` leaves to others. GPUs in MIG mode, and processes whose
    memory the driver does not tell, are left alone.

    Why it matters: vLLM counts on its share. At the next start there is not enough memory, and a
    peak ends in "CUDA out of memory", for the engine or for the other.

    How to fix: end or move the other process, or lower `--gpu-memory-utilization` so that both fit.

    Fix safety: nothing is ended here; whose process it is has to be asked first.

    References: facts/vllm.md §4.5.
    """
    found = await gpus_of_engine(f)
    if found.fault is not None:
        raise Unavailable(found.text)
    share = await _share(f)
    for device in found.devices:
        others = _others(device)
        held = sum(process.memory or 0 for process in others)
        if others and device.total and held > device.total * (1 - share):
            yield _finding(device, others, held, share)


async def _share(f: DeclaredFacts) -> float:
    seen = await live(f, twice=False)
    cache = seen.cache
    if cache is None or cache.utilization is None or cache.sized_by_bytes:
        raise NotApplicable("the engine's memory is not a share of the GPU's")
    return cache.utilization


def _others(device: Gpu) -> list[GpuProcess]:
    """Those beside the engine; none where the engine is not seen on this device."""
    processes = device.processes or ()
    if device.mig or not any(process.engine for process in processes):
        return []
    others = [p for p in processes if not p.engine and (p.memory or 0) >= _SMALL]
    return sorted(others, key=lambda process: -(process.memory or 0))


def _finding(device: Gpu, others: list[GpuProcess], held: int, share: float) -> Finding:
    total = device.total or 0
    names = ", ".join(
        f"{process.name or '?'} ({process.pid}): {gib(process.memory or 0)}" for process in others
    )
    fits = max((total - held) / total - 0.02, 0.0)
    return problem(
        _(
            "Others hold {held} of GPU {index}, where vLLM counts on {share:.0%}",
            held=gib(held),
            index=device.index,
            share=share,
        ),
        joined(
            _(
                "{gpu} has {total}: {names}.",
                gpu=device.name or _("The GPU"),
                total=gib(total),
                names=names,
            ),
            _(
                "End or move them, or start vLLM with --gpu-memory-utilization {fits:.2f} at most.",
                fits=fits,
            )
            if fits >= _USEFUL
            else _("End or move them."),
        ),
        evidence=tuple(
            Evidence(
                _("NVML"),
                _("GPU {index}, process {pid}", index=device.index, pid=process.pid),
                f"{process.name or '?'}, {process.memory:,} bytes",
            )
            for process in others
        ),
    )
