"""Which GPUs an engine computes on, and what they do under load: from recordings of NVML."""

from __future__ import annotations

import os
import socket

import pytest

from doctor.facts.gpus import Gpu, GpuLoad, GpuProcess
from doctor.probes.gpuload import Listening, devices_of, is_own, listening
from doctor.probes.nvml import Meter
from tests.probes.recorded_nvml import RecordedNvml

GIB = 2**30


def test_what_devices_do_under_load() -> None:
    library = RecordedNvml("under-load")
    meter = Meter(library, (0, 1, 2, 3))
    first, idle, old, virtual = meter.look()

    assert first == GpuLoad(0, 77309411328, 85520809984, 0.97, "power")
    # That nothing runs lowers the clocks as well, which is no hindrance.
    assert (idle.used, idle.busy, idle.slowed) == (0, 0.0, "")
    # A driver that knows the reasons by their older name.
    assert (old.busy, old.slowed) == (0.4, "heat")
    # What a virtual GPU does not tell is not zero.
    assert (virtual.used, virtual.busy, virtual.slowed) == (5 * GIB, None, None)
    assert library.open
    meter.close()
    assert not library.open


def test_a_lost_device_does_not_hide_the_other() -> None:
    meter = Meter(RecordedNvml("one-lost"), (0, 1))
    [sound] = meter.look()
    assert sound.index == 1
    meter.close()


@pytest.mark.parametrize("name", ["no-driver", "mismatch", "no-permission"])
def test_a_library_that_fails_gives_nothing(name: str) -> None:
    meter = Meter(RecordedNvml(name), (0,))
    assert meter.look() == ()
    meter.close()


def gpu(index: int, *pids: int, used: int = 0, mig: bool = False, name: str | None = "x") -> Gpu:
    held = tuple(GpuProcess(pid, name, GIB, engine=name == "vllm") for pid in pids)
    return Gpu(index, f"GPU-{index}", "NVIDIA L4", 24 * GIB, used * GIB, mig=mig, processes=held)


ENGINE = frozenset({4100, 4101})
SEEN = Listening(ENGINE, engine=True, servers=1)
HIDDEN = Listening(servers=1)

CASES: dict[str, tuple[list[Gpu], Listening, tuple[int, ...]]] = {
    "the process that it started": ([gpu(0, 7), gpu(1, 4101), gpu(2, 4101)], SEEN, (1, 2)),
    # A vLLM on the CPU beside a desktop, or beside somebody's training.
    "an engine on the CPU": ([gpu(0, 900, used=20)], SEEN, ()),
    "an idle GPU": ([gpu(0)], SEEN, ()),
    # ssh or kubectl listens: the engine computes elsewhere, whatever runs here.
    "a tunnel": ([gpu(0, 7, name="vllm")], Listening(frozenset({50}), servers=1), ()),
    # A container sees the machine's numbers, which are nobody's there, or none.
    "in a container": ([gpu(0, 99, used=21, name=None), gpu(1)], SEEN, (0,)),
    "in a container that hides them": ([gpu(0, used=21), gpu(1)], SEEN, (0,)),
    "a published port": ([gpu(0, 7), gpu(1, 8, name="vllm")], HIDDEN, (1,)),
    "one of two engines": ([gpu(0, 7, name="vllm")], Listening(servers=2), ()),
    # The figures of the whole device are not the engine's alone.
    "MIG": ([gpu(0, 4101, mig=True)], SEEN, ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_only_the_engines_own_devices_are_looked_at(name: str) -> None:
    devices, listening, chosen = CASES[name]
    assert devices_of(devices, listening) == chosen


def test_who_listens_is_known_by_the_port() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        found = listening(server.getsockname()[1])
    assert os.getpid() in found.pids
    assert not found.engine


def test_own_addresses_are_this_machine() -> None:
    assert is_own(socket.gethostname())
    assert is_own("127.0.0.1")
    assert not is_own("192.0.2.1")
    assert not is_own("gateway.example")
