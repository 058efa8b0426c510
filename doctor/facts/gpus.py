"""The GPUs of this machine as NVML tells of them."""

from __future__ import annotations

import enum

from doctor.records import dataclass


class GpuFault(enum.StrEnum):
    """Why NVML gave no answer though there is NVIDIA hardware here."""

    MISMATCH = "driver-library-mismatch"
    NO_DRIVER = "driver-not-loaded"
    NO_LIBRARY = "library-not-found"
    LOST = "gpu-lost"
    NO_PERMISSION = "no-permission"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process that holds memory of a GPU; bytes, None where the driver does not tell."""

    pid: int
    name: str | None
    memory: int | None
    engine: bool = False  # a vLLM process


@dataclass(frozen=True, slots=True)
class Gpu:
    """One device. Bytes; None is "not told", which is not zero. ``index`` is NVML's, which is the
    order of the PCI bus. ``error`` is NVML's text where this one device fails."""

    index: int
    uuid: str
    name: str
    total: int | None = None
    used: int | None = None
    free: int | None = None
    mig: bool = False
    processes: tuple[GpuProcess, ...] | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Gpus:
    """The NVIDIA GPUs of this machine. ``fault`` None means that NVML answered. ``chosen`` are the
    indices that CUDA_VISIBLE_DEVICES leaves, None where it is not set or cannot be told."""

    devices: tuple[Gpu, ...] = ()
    driver: str = ""
    fault: GpuFault | None = None
    text: str = ""
    chosen: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class GpuLoad:
    """What a device does at one moment. ``used`` and ``total`` in bytes; ``busy`` is the share (0
    to 1) of the last fraction of a second in which something ran on it. ``slowed`` says what holds
    its clocks down ("power", "heat"), "" where nothing does. None is "not told"."""

    index: int
    used: int | None = None
    total: int | None = None
    busy: float | None = None
    slowed: str | None = None
