"""NVML through ``pynvml``, or through anything that answers as it does.

What a device does not support is None, never zero. Only this module knows NVML's functions and
errors; it is given the library, so that its logic runs on recorded answers as well.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from doctor.facts.gpus import Gpu, GpuFault, GpuLoad, GpuProcess, Gpus
from doctor.untrusted import visible

T = TypeVar("T")

# NVML's return codes (nvml.h).
_NOT_SUPPORTED = 3
_FAULTS = {
    4: GpuFault.NO_PERMISSION,
    9: GpuFault.NO_DRIVER,
    12: GpuFault.NO_LIBRARY,
    15: GpuFault.LOST,
    18: GpuFault.MISMATCH,
}
_MOST_DEVICES = 64
# What vLLM's processes call themselves to the system (setproctitle), and their launcher.
_ENGINE_NAMES = ("vllm",)
# Why clocks are lower than they could be (nvml.h, nvmlClocksEventReason…): bits of a mask. Clocks
# that are low since nothing runs, or since somebody set them, are no hindrance that comes and goes.
_HEAT = 0x20 | 0x40
_POWER = 0x04 | 0x80


def read(library: Any, name_of: Callable[[int], str | None]) -> Gpus:
    """All devices. ``name_of`` tells a process's name, None where it cannot be told.

    Blocking; never raises for what NVML says.
    """
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        return Gpus(fault=fault_of(error), text=_text(error))
    try:
        driver = _told(library, library.nvmlSystemGetDriverVersion)
        count = _told(library, library.nvmlDeviceGetCount) or 0
        devices = tuple(
            _device(library, index, name_of) for index in range(min(count, _MOST_DEVICES))
        )
    finally:
        _told(library, library.nvmlShutdown)
    return Gpus(devices, visible(_string(driver), 40))


class Meter:
    """Some devices, looked at again and again without starting anew each time. Blocking, from any
    thread; it never raises for what NVML says."""

    def __init__(self, library: Any, indices: Sequence[int]) -> None:
        self._library = library
        self._indices = indices
        self._handles: dict[int, Any] = {}
        self._open = False
        self._lock = threading.Lock()

    def look(self) -> tuple[GpuLoad, ...]:
        """What each device does now; devices that fail are left out."""
        with self._lock:
            if not self._open:
                self._start()
            return tuple(self._of(index, handle) for index, handle in self._handles.items())

    def close(self) -> None:
        """Waits for a look that is under way; the next one would start anew."""
        with self._lock:
            if self._open:
                _told(self._library, self._library.nvmlShutdown)
            self._open, self._handles = False, {}

    def _start(self) -> None:
        try:
            self._library.nvmlInit()
        except self._library.NVMLError:
            return
        self._open = True
        for index in self._indices:
            handle = _told(self._library, self._library.nvmlDeviceGetHandleByIndex, index)
            if handle is not None:
                self._handles[index] = handle

    def _of(self, index: int, handle: Any) -> GpuLoad:
        library = self._library
        memory = _told(library, library.nvmlDeviceGetMemoryInfo, handle)
        rates = _told(library, library.nvmlDeviceGetUtilizationRates, handle)
        busy = getattr(rates, "gpu", None)
        return GpuLoad(
            index=index,
            used=_bytes(getattr(memory, "used", None)),
            total=_bytes(getattr(memory, "total", None)),
            busy=busy / 100 if isinstance(busy, int) and 0 <= busy <= 100 else None,
            slowed=_slowed(library, handle),
        )


def _slowed(library: Any, handle: Any) -> str | None:
    reasons = _told(library, library.nvmlDeviceGetCurrentClocksEventReasons, handle)
    if reasons is None:  # the name that drivers before 535 have
        reasons = _told(library, library.nvmlDeviceGetCurrentClocksThrottleReasons, handle)
    if reasons is None:
        return None
    if reasons & _HEAT:
        return "heat"
    return "power" if reasons & _POWER else ""


def fault_of(error: Any) -> GpuFault:
    """What kind of fault NVML reports."""
    return _FAULTS.get(getattr(error, "value", None) or 0, GpuFault.OTHER)


def _device(library: Any, index: int, name_of: Callable[[int], str | None]) -> Gpu:
    try:
        handle = library.nvmlDeviceGetHandleByIndex(index)
    except library.NVMLError as error:
        return Gpu(index, "", "", error=_text(error))
    memory = _told(library, library.nvmlDeviceGetMemoryInfo, handle)
    mode = _told(library, library.nvmlDeviceGetMigMode, handle)
    return Gpu(
        index=index,
        uuid=visible(_string(_told(library, library.nvmlDeviceGetUUID, handle)), 80),
        name=visible(_string(_told(library, library.nvmlDeviceGetName, handle)), 80),
        total=_bytes(getattr(memory, "total", None)),
        used=_bytes(getattr(memory, "used", None)),
        free=_bytes(getattr(memory, "free", None)),
        mig=bool(mode and mode[0]),
        processes=_processes(library, handle, name_of),
    )


def _processes(
    library: Any, handle: Any, name_of: Callable[[int], str | None]
) -> tuple[GpuProcess, ...] | None:
    """Those that compute and those that draw; a process that does both is named once."""
    compute = _told(library, library.nvmlDeviceGetComputeRunningProcesses, handle)
    graphics = _told(library, library.nvmlDeviceGetGraphicsRunningProcesses, handle)
    if compute is None and graphics is None:
        return None
    held: dict[int, int | None] = {}
    for process in (*(compute or ()), *(graphics or ())):
        memory = _bytes(getattr(process, "usedGpuMemory", None))
        held[process.pid] = max(filter(None, (held.get(process.pid), memory)), default=memory)
    return tuple(_process(pid, memory, name_of(pid)) for pid, memory in sorted(held.items()))


def _process(pid: int, memory: int | None, name: str | None) -> GpuProcess:
    shown = None if name is None else visible(name, 80)
    is_engine = shown is not None and any(word in shown.lower() for word in _ENGINE_NAMES)
    return GpuProcess(pid, shown, memory, engine=is_engine)


def _told(library: Any, function: Callable[..., T], *arguments: Any) -> T | None:
    """None where the device does not tell."""
    try:
        return function(*arguments)
    except library.NVMLError:
        return None


def _bytes(value: object) -> int | None:
    # Windows' driver and some virtual GPUs say "not available" as the largest number.
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 1 << 60 else None


def _string(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def _text(error: object) -> str:
    return visible(str(error), 200)
