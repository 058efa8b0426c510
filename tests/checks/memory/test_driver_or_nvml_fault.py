from __future__ import annotations

import pytest

from checks.memory.driver_or_nvml_fault import driver_or_nvml_fault
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.facts.engine import Starting
from doctor.facts.gpus import GpuFault, Gpus
from doctor.facts.machine import Listener
from doctor.facts.network import TransportFault
from doctor.models import Severity, Status
from tests.checks.engines import NONE, Given, engine
from tests.checks.memory.gpus import machine
from tests.checks.response.replies import only, reply
from tests.kit import run_check

REFUSED = reply(OutcomeKind.TRANSPORT, status=None, fault=TransportFault.REFUSED)
STARTING: Given = {
    facts.ENGINE: NONE,
    facts.COMPLETION: REFUSED,
    facts.STARTING: (Starting(77, "vllm serve", 40.0),),
}


def fault(kind: GpuFault) -> Gpus:
    return Gpus(fault=kind, text="what NVML says")


def runs(gpus: Gpus, *, local: bool = True) -> Given:
    return {facts.ENGINE: engine(local=local), facts.GPUS: gpus}


def status(given: Given) -> Status:
    return run_check(driver_or_nvml_fault, given=given).status


def test_a_driver_that_was_updated_under_a_running_engine() -> None:
    finding = only(run_check(driver_or_nvml_fault, given=runs(fault(GpuFault.MISMATCH))))

    assert finding.title == "NVIDIA's driver and its library are of different versions"
    assert "runs on; its next start fails" in finding.explanation
    assert "what NVML says" in finding.explanation
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("kind", list(GpuFault))
def test_an_engine_that_is_being_started_needs_all_of_it(kind: GpuFault) -> None:
    given = {**STARTING, facts.GPUS: fault(kind)}
    assert only(run_check(driver_or_nvml_fault, given=given)).severity is Severity.ERROR


@pytest.mark.parametrize("kind", [GpuFault.NO_LIBRARY, GpuFault.NO_DRIVER])
def test_an_engine_that_answers_has_its_gpu_somewhere(kind: GpuFault) -> None:
    assert status(runs(fault(kind))) is Status.SKIPPED


def test_one_device_that_fell_off_the_bus() -> None:
    finding = only(run_check(driver_or_nvml_fault, given=runs(machine(error="GPU is lost"))))
    assert finding.title == "GPU 0 does not answer"


def test_sound_devices() -> None:
    assert status(runs(machine())) is Status.PASS


@pytest.mark.parametrize(
    "given",
    [
        runs(Gpus()),
        runs(fault(GpuFault.MISMATCH), local=False),
        {
            **runs(fault(GpuFault.MISMATCH)),
            facts.LISTENERS: (Listener("127.0.0.1", 8000, "kubectl"),),
        },
        {facts.ENGINE: NONE, facts.GPUS: fault(GpuFault.MISMATCH), facts.COMPLETION: reply()},
    ],
    ids=["no GPU", "an engine elsewhere", "a forwarded port", "a gateway"],
)
def test_whose_gpu_is_of_no_concern(given: Given) -> None:
    assert status(given) is Status.SKIPPED
