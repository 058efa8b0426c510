"""NVML's answers, as far as this project depends on them, from recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor import facts
from doctor.facts.gpus import Gpu, GpuFault, Gpus
from doctor.probes import nvml
from doctor.probes.gpus import has_hardware, visible_devices
from tests.kit import connection
from tests.probes.recorded_nvml import RecordedNvml
from tests.probes.world import world

NAMES = {4100: "VLLM::EngineCore", 5200: "train.py", 900: "Xorg"}


def read(name: str) -> Gpus:
    library = RecordedNvml(name)
    found = nvml.read(library, NAMES.get)
    assert not library.open
    return found


def test_who_holds_how_much_of_which_device() -> None:
    found = read("shared-a100")
    first, second = found.devices

    assert (found.driver, found.fault) == ("570.86.15", None)
    assert (first.index, first.name, first.total) == (0, "NVIDIA A100-SXM4-80GB", 80 * 2**30)
    assert first.processes is not None
    held = [(p.pid, p.name, p.memory, p.engine) for p in first.processes]
    assert held == [
        (4100, "VLLM::EngineCore", 64 * 2**30, True),
        (5200, "train.py", 15 * 2**30, False),
    ]
    assert second.processes == ()


def test_what_is_not_told_is_not_zero() -> None:
    (device,) = read("desktop-without-process-memory").devices
    assert device.processes is not None
    assert [(p.pid, p.memory) for p in device.processes] == [
        (900, None),
        (4100, None),
        (5200, None),
    ]
    assert not device.mig


def test_a_device_in_mig_mode_tells_no_processes() -> None:
    (device,) = read("mig").devices
    assert device.mig
    assert device.processes is None


def test_one_broken_device_does_not_hide_the_others() -> None:
    broken, sound = read("one-lost").devices
    assert broken.error == "GPU is lost"
    assert sound.name == "NVIDIA L4"
    assert sound.used == 0


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("mismatch", GpuFault.MISMATCH),
        ("no-driver", GpuFault.NO_DRIVER),
        ("no-library", GpuFault.NO_LIBRARY),
        ("no-permission", GpuFault.NO_PERMISSION),
        ("unknown", GpuFault.OTHER),
    ],
)
def test_each_fault_has_its_name(name: str, fault: GpuFault) -> None:
    found = read(name)
    assert found.fault is fault
    assert found.text
    assert found.devices == ()


DEVICES = tuple(Gpu(n, f"GPU-{n}{n}{n}{n}-0000", "NVIDIA L4") for n in range(4))


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (None, None),
        ("", ()),
        ("0,2", (0, 2)),
        (" 3 , 1", (3, 1)),
        # CUDA stops at what makes no sense, and at what it has already.
        ("1,9,2", (1,)),
        ("2,-1,0", (2,)),
        ("1,1,2", (1,)),
        ("GPU-2222", (2,)),
        ("gpu-2222-0000,0", (2, 0)),
        ("GPU-", ()),
        ("MIG-1234", None),
        ("all", ()),
    ],
)
def test_which_devices_cuda_sees(text: str | None, chosen: tuple[int, ...] | None) -> None:
    assert visible_devices(text, DEVICES) == chosen


def pci(root: Path, vendor: str, kind: str) -> None:
    folder = root / "sys" / "bus" / "pci" / "devices" / "0000:01:00.0"
    folder.mkdir(parents=True)
    (folder / "vendor").write_text(f"{vendor}\n", "ascii")
    (folder / "class").write_text(f"{kind}\n", "ascii")


@pytest.mark.parametrize(
    ("vendor", "kind", "is_one"),
    [
        ("0x10de", "0x030200", True),
        ("0x10de", "0x030000", True),
        # The sound device of a graphics card, and a card of another maker.
        ("0x10de", "0x040300", False),
        ("0x1002", "0x030000", False),
    ],
)
def test_hardware_is_known_by_the_bus(tmp_path: Path, vendor: str, kind: str, is_one: bool) -> None:
    pci(tmp_path, vendor, kind)
    assert has_hardware(tmp_path) is is_one


def test_a_machine_without_any_has_none(tmp_path: Path) -> None:
    assert not has_hardware(tmp_path)


@pytest.mark.skipif(has_hardware(Path("/")), reason="this machine has an NVIDIA GPU")
async def test_this_machine_without_a_gpu_has_none_and_no_fault() -> None:
    async with world(connection()) as store:
        assert await store.get(facts.GPUS) == Gpus()
