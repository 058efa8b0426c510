"""KVD811."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.memory._gpus import READS, is_forwarded
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
)
from doctor.facts.engine import Engine
from doctor.facts.gpus import GpuFault, Gpus
from doctor.facts.network import TransportFault

# A running engine holds on to the driver that it was started with.
_EVEN_IF_IT_RUNS = frozenset({GpuFault.MISMATCH, GpuFault.LOST})


@check(
    code="KVD811",
    slug="driver-or-nvml-fault",
    severity=Severity.ERROR,
    hop=Hop.KV,
    wants=(*READS, facts.COMPLETION, facts.STARTING),
    blocking=False,
)
async def driver_or_nvml_fault(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """NVIDIA's driver or its library does not answer on the machine of the engine.

    What it checks: whether NVML answers where an engine of this machine runs or is being started:
    a library of another version than the kernel's driver, a driver that is not loaded, a library
    that is missing, a GPU that fell off the bus. Machines without NVIDIA hardware are left alone.

    Why it matters: an engine that is being started sees no GPU. One that runs goes on with the
    driver that it has, until it is started the next time.

    How to fix: after an update of the driver, reboot, or unload and load its kernel modules; in a
    container, start it with the GPU (`--gpus all`), so that the host's library is there.

    Fix safety: nothing is changed; a reboot ends what runs.

    References: facts/design-anchors.md (NVML errors); nvml.h, return codes.
    """
    engine = await f.get(facts.ENGINE)
    runs = engine.root is not None and engine.local
    if not runs and not await _is_starting(f):
        raise NotApplicable("no engine of this machine is examined")
    found = await f.get(facts.GPUS)
    if found.fault is None and not found.devices:
        raise NotApplicable("no NVIDIA GPU is here")
    if runs and await is_forwarded(f, engine):
        raise NotApplicable("the engine is on another machine")
    if found.fault is None:
        for device in (device for device in found.devices if device.error):
            yield problem(
                _("GPU {index} does not answer", index=device.index),
                _("NVML says: “{text}”.", text=device.error),
                evidence=(Evidence(_("NVML"), str(device.index), device.error),),
            )
        return
    if runs and found.fault not in _EVEN_IF_IT_RUNS:
        # It answers, so its GPU is in another container or behind a forwarded port.
        raise NotApplicable("the engine answers, and this machine's GPU is not its own")
    yield _finding(found, engine, runs=runs)


async def _is_starting(f: DeclaredFacts) -> bool:
    reply = await f.find(facts.COMPLETION)
    if reply is None or reply.exchange.fault is not TransportFault.REFUSED:
        return False
    found = await f.find(facts.STARTING)
    return bool(found)


def _finding(found: Gpus, engine: Engine, *, runs: bool) -> Finding:
    assert found.fault is not None
    title, meaning = _words(found.fault, runs=runs)
    return problem(
        title,
        _("NVML says: “{text}”. {meaning}", text=found.text, meaning=meaning),
        evidence=(Evidence(_("NVML"), found.fault.value, found.text),),
        severity=Severity.WARNING if runs else Severity.ERROR,
    )


def _words(fault: GpuFault, *, runs: bool) -> tuple[Text, Text]:
    if fault is GpuFault.MISMATCH:
        return _("NVIDIA's driver and its library are of different versions"), (
            _(
                "The driver was updated while the old one is loaded. The engine runs on; its next"
                " start fails. Reboot, or reload the kernel modules."
            )
            if runs
            else _("The driver was updated while the old one is loaded: reboot.")
        )
    if fault is GpuFault.NO_DRIVER:
        return _("NVIDIA's driver is not loaded"), _(
            "The hardware is there. Load the kernel module (modprobe nvidia), or install the driver"
            " that fits the running kernel."
        )
    if fault is GpuFault.NO_LIBRARY:
        return _("NVIDIA's library (libnvidia-ml) is not there"), _(
            "The hardware is there. In a container, start it with --gpus all; elsewhere install the"
            " driver's libraries."
        )
    if fault is GpuFault.LOST:
        return _("A GPU fell off the bus"), _("Reboot; if it comes back, look at power and heat.")
    if fault is GpuFault.NO_PERMISSION:
        return _("This user may not ask the GPU"), _("The device files belong to another group.")
    return _("NVML fails"), _(
        "In a container it is likely that its GPU was taken away while it ran, as a reload of"
        " systemd does: start the container anew. Elsewhere the driver's log (dmesg) says more."
    )
