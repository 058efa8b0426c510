"""The NVIDIA GPUs of this machine, asked in a thread; a machine without any has none."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

from doctor.facts.gpus import Gpu, Gpus
from doctor.facts.machine import Environment
from doctor.facts.store import Facts
from doctor.probes import nvml
from doctor.untrusted import visible

_VENDOR = "0x10de"
# PCI class 03: display controllers, 3D controllers among them.
_CLASS = "0x03"


async def gpus(facts: Facts) -> Gpus:
    """Without NVIDIA hardware there are no devices and no fault."""
    return await asyncio.to_thread(_seen, facts.run.environment)


def _seen(environment: Environment) -> Gpus:
    import pynvml  # type: ignore[import-untyped]  # it has no types

    found = nvml.read(pynvml, _name_of)
    if found.fault is not None and not has_hardware(Path(environment.root or "/")):
        return Gpus()
    chosen = visible_devices(environment.variables.get("CUDA_VISIBLE_DEVICES"), found.devices)
    return dataclasses.replace(found, chosen=chosen)


def has_hardware(root: Path) -> bool:
    """Whether the PCI bus has an NVIDIA display or 3D controller, or the driver made its device."""
    if (root / "dev" / "nvidiactl").exists():
        return True
    for device in (root / "sys" / "bus" / "pci" / "devices").glob("*"):
        try:
            vendor = (device / "vendor").read_text("ascii").strip().lower()
            kind = (device / "class").read_text("ascii").strip().lower()
        except (OSError, UnicodeDecodeError):
            continue
        if vendor == _VENDOR and kind.startswith(_CLASS):
            return True
    return False


def visible_devices(text: str | None, devices: tuple[Gpu, ...]) -> tuple[int, ...] | None:
    """NVML's indices of what ``CUDA_VISIBLE_DEVICES`` leaves.

    CUDA reads the list until the first entry that makes no sense; a UUID may be shortened. None
    where it is not set, or names what NVML does not (a MIG instance). Numbers are NVML's only
    with ``CUDA_DEVICE_ORDER=PCI_BUS_ID``, or where all devices are alike.
    """
    if text is None:
        return None
    chosen: list[int] = []
    for entry in (part.strip() for part in text.split(",")):
        if entry.upper().startswith("MIG-"):
            return None
        index = _index(entry, devices)
        if index is None or index in chosen:
            break
        chosen.append(index)
    return tuple(chosen)


def _index(entry: str, devices: tuple[Gpu, ...]) -> int | None:
    if entry.isascii() and entry.isdigit():
        number = int(entry) if len(entry) < 4 else -1
        return number if any(device.index == number for device in devices) else None
    if not entry.upper().startswith("GPU-"):
        return None
    named = [d.index for d in devices if d.uuid.lower().startswith(entry.lower())]
    return named[0] if len(named) == 1 else None


def _name_of(pid: int) -> str | None:
    import psutil

    try:
        process = psutil.Process(pid)
        words = process.cmdline()
        name = process.name()
    except (psutil.Error, OSError):
        return None
    # An engine's worker is a bare "python" to the system unless it names itself.
    told = next((word for word in words[:4] if "vllm" in word.lower()), "")
    return visible("vllm" if told else name, 80)
