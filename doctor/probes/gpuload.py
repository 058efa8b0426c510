"""The GPUs that an engine of this machine computes on, looked at again and again.

Which ones is told by processes: those that hold memory of a device and belong to whoever listens on
the engine's port. In a container NVML names processes by numbers that are unknown there, and for a
published port a forwarder listens: there is a rule for each. Where none fits, the engine may
compute on another machine or on the CPU, and no GPU is looked at.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit

from doctor.facts import GPUS
from doctor.facts.engine import Engine
from doctor.facts.gpus import Gpu, GpuLoad
from doctor.facts.store import Facts
from doctor.probes.nvml import Meter
from doctor.probes.starting import listening_on, processes, serves
from doctor.records import dataclass
from doctor.url_parts import address_of
from doctor.urls import is_loopback

GpuLook = Callable[[], Awaitable[tuple[GpuLoad, ...]]]

# By default an engine takes nine tenths of its GPU's memory.
_MOST_OF_IT = 0.5


@dataclass(frozen=True, slots=True)
class Listening:
    """Who listens on the engine's port. ``pids`` are its process, those that it started, and the
    vLLM processes that started it; empty where the user may not see who it is. ``engine`` says that
    one of them is vLLM's API server. ``servers`` is how many of those run on this machine."""

    pids: frozenset[int] = field(default_factory=frozenset)
    engine: bool = False
    servers: int = 0


@contextlib.asynccontextmanager
async def gpus_beside(
    facts: Facts, engine: Engine | None, library: Any = None
) -> AsyncIterator[GpuLook | None]:
    """How to look at the engine's GPUs; None where it has none that are known to be here.
    ``library`` answers as ``pynvml`` does, which it is by default."""
    if engine is None or engine.root is None or not await is_here(engine):
        yield None
        return
    gpus = await facts.find(GPUS)
    if gpus is None or not gpus.devices:
        yield None
        return
    port = urlsplit(engine.root).port or (443 if engine.root.startswith("https:") else 80)
    chosen = devices_of(gpus.devices, await asyncio.to_thread(listening, port))
    if not chosen:
        yield None
        return
    if library is None:
        import pynvml  # type: ignore[import-untyped]  # it has no types

        library = pynvml
    meter = Meter(library, chosen)

    async def look() -> tuple[GpuLoad, ...]:
        return await asyncio.to_thread(meter.look)

    try:
        yield look
    finally:
        await asyncio.to_thread(meter.close)


async def is_here(engine: Engine) -> bool:
    """Whether the address of ``engine`` is this machine."""
    if engine.local:
        return True
    host = urlsplit(engine.root or "").hostname or ""
    return is_loopback(host) or await asyncio.to_thread(is_own, host)


def is_own(host: str) -> bool:
    """Whether ``host`` is this machine's name or one of its addresses; nobody is asked."""
    import psutil

    address = address_of(host)
    if address is None:
        return host.lower().rstrip(".") == socket.gethostname().lower()
    told = (each for held in psutil.net_if_addrs().values() for each in held)
    return any(address_of(each.address.partition("%")[0]) == address for each in told)


def devices_of(devices: Sequence[Gpu], listening: Listening) -> tuple[int, ...]:
    """The indices of those that the engine computes on; none where that cannot be told."""
    whole = [device for device in devices if not device.mig and not device.error]
    holders = [(device, process) for device in whole for process in device.processes or ()]
    own = {device.index for device, process in holders if process.pid in listening.pids}
    if own:
        return tuple(sorted(own))
    if listening.engine and all(process.name is None for _device, process in holders):
        # In a container: the numbers are those of the machine outside.
        return tuple(device.index for device in whole if _is_full(device))
    if not listening.pids and listening.servers == 1:
        # The port of a container is published by a forwarder that only root may see.
        return tuple(sorted({device.index for device, process in holders if process.engine}))
    return ()


def _is_full(device: Gpu) -> bool:
    return bool(device.used and device.total and device.used >= device.total * _MOST_OF_IT)


def listening(port: int) -> Listening:
    """Who listens on ``port`` of this machine; blocking."""
    import psutil

    servers = sum(serves(process.arguments) for process in processes())
    pids = set(listening_on(port))
    family: set[int] = set()
    engine = False
    for pid in pids:
        with contextlib.suppress(psutil.Error, OSError):
            top = psutil.Process(pid)
            while (above := top.parent()) is not None and serves(above.cmdline()):
                top = above
            engine = engine or serves(top.cmdline())
            family |= {pid, top.pid, *(child.pid for child in top.children(recursive=True))}
    return Listening(frozenset(family), engine, servers)
