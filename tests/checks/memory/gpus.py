"""GPUs as NVML would tell them."""

from __future__ import annotations

from doctor.facts.gpus import Gpu, GpuProcess, Gpus

GIB = 2**30


def process(pid: int, name: str | None, gib: float | None, *, engine: bool = False) -> GpuProcess:
    memory = None if gib is None else int(gib * GIB)
    return GpuProcess(pid, name, memory, engine=engine)


def vllm(gib: float = 64) -> GpuProcess:
    return process(4100, "VLLM::EngineCore", gib, engine=True)


def machine(*processes: GpuProcess, mig: bool = False, error: str = "") -> Gpus:
    """One GPU of 80 GiB."""
    device = Gpu(0, "GPU-1111", "NVIDIA A100", 80 * GIB, mig=mig, processes=processes, error=error)
    return Gpus((device,), "570.86.15")
