"""A stand-in for NVML's library that answers from a recording.

A recording is JSON: ``init`` an error code or null, ``driver`` a text, ``devices`` a list whose
entries hold what each function returned, or ``{"error": CODE}``. Nothing else is known of it, so
what a recording does not have is "not supported" (3), as on real devices.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).parent / "nvml"
# The words of nvml.h, as pynvml shows them.
_TEXTS = {
    3: "Not Supported",
    4: "Insufficient Permissions",
    9: "Driver Not Loaded",
    12: "NVML Shared Library Not Found",
    15: "GPU is lost",
    18: "Driver/library version mismatch",
    999: "Unknown Error",
}


class RecordedError(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(_TEXTS[value])
        self.value = value


class RecordedNvml:
    """Has the functions that ``doctor.probes.nvml`` calls."""

    NVMLError = RecordedError

    def __init__(self, name: str) -> None:
        self._answers = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
        self.open = False

    def nvmlInit(self) -> None:
        if self._answers["init"] is not None:
            raise RecordedError(self._answers["init"])
        self.open = True

    def nvmlShutdown(self) -> None:
        self.open = False

    def nvmlSystemGetDriverVersion(self) -> str:
        return str(self._answers["driver"])

    def nvmlDeviceGetCount(self) -> int:
        return len(self._answers["devices"])

    def nvmlDeviceGetHandleByIndex(self, index: int) -> dict[str, Any]:
        device: dict[str, Any] = self._answers["devices"][index]
        if "error" in device:
            raise RecordedError(device["error"])
        return device

    def _told(self, device: dict[str, Any], name: str) -> Any:
        value = device.get(name)
        if value is None:
            raise RecordedError(3)
        return value

    def nvmlDeviceGetUUID(self, device: dict[str, Any]) -> Any:
        return self._told(device, "uuid")

    def nvmlDeviceGetName(self, device: dict[str, Any]) -> Any:
        return self._told(device, "name")

    def nvmlDeviceGetMemoryInfo(self, device: dict[str, Any]) -> Any:
        return SimpleNamespace(**self._told(device, "memory"))

    def nvmlDeviceGetMigMode(self, device: dict[str, Any]) -> Any:
        return self._told(device, "mig")

    def nvmlDeviceGetComputeRunningProcesses(self, device: dict[str, Any]) -> Any:
        return [SimpleNamespace(**each) for each in self._told(device, "compute")]

    def nvmlDeviceGetGraphicsRunningProcesses(self, device: dict[str, Any]) -> Any:
        return [SimpleNamespace(**each) for each in self._told(device, "graphics")]

    def nvmlDeviceGetUtilizationRates(self, device: dict[str, Any]) -> Any:
        return SimpleNamespace(**self._told(device, "utilization"))

    def nvmlDeviceGetCurrentClocksEventReasons(self, device: dict[str, Any]) -> Any:
        return self._told(device, "clocks_event_reasons")

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, device: dict[str, Any]) -> Any:
        return self._told(device, "clocks_throttle_reasons")
