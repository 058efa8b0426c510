from __future__ import annotations

from checks.memory.gpu_shared_with_others import gpu_shared_with_others
from doctor import facts
from doctor.facts.gpus import Gpus
from doctor.facts.machine import Listener
from doctor.models import Severity, Status
from tests.checks.engines import Given, at_work, state
from tests.checks.memory.gpus import machine, process, vllm
from tests.checks.response.replies import only
from tests.kit import run_check


def given(gpus: Gpus, *, local: bool = True, **cache: str) -> Given:
    return {**at_work(state(), cache=cache, local=local), facts.GPUS: gpus}


def status(gpus: Gpus, *, local: bool = True, **cache: str) -> Status:
    return run_check(gpu_shared_with_others, given=given(gpus, local=local, **cache)).status


def test_who_holds_what_the_engine_counts_on() -> None:
    gpus = machine(vllm(), process(5200, "train.py", 12), process(5300, "python", 2.5))
    finding = only(run_check(gpu_shared_with_others, given=given(gpus)))

    assert finding.title == "Others hold 14.5 GiB of GPU 0, where vLLM counts on 90%"
    assert "train.py (5200): 12.0 GiB, python (5300): 2.5 GiB" in finding.explanation
    # (80 − 14.5) / 80, less what a context of the driver takes.
    assert "--gpu-memory-utilization 0.80 at most" in finding.explanation
    assert finding.severity is Severity.WARNING


def test_two_engines_that_share_as_agreed_are_well() -> None:
    gpus = machine(vllm(36), process(5200, "train.py", 36))
    assert status(gpus, gpu_memory_utilization="0.45") is Status.PASS


def test_a_desktop_is_not_worth_a_word() -> None:
    assert status(machine(vllm(), process(900, "Xorg", 0.2))) is Status.PASS


def test_memory_that_is_not_told_is_not_counted() -> None:
    assert status(machine(vllm(), process(5200, None, None))) is Status.PASS


def test_a_device_on_which_no_engine_is_seen_is_not_the_engines() -> None:
    assert status(machine(process(5200, "train.py", 70))) is Status.PASS


def test_a_device_in_mig_mode_is_left_alone() -> None:
    assert status(machine(vllm(), process(5200, "train.py", 70), mig=True)) is Status.PASS


def test_a_cache_that_was_sized_by_bytes_promises_no_share() -> None:
    gpus = machine(vllm(), process(5200, "train.py", 15))
    assert status(gpus, kv_cache_memory_bytes="1073741824") is Status.SKIPPED


def test_the_gpu_of_this_machine_is_no_concern_of_an_engine_elsewhere() -> None:
    gpus = machine(vllm(), process(5200, "train.py", 15))
    assert status(gpus, local=False) is Status.SKIPPED


def test_the_near_end_of_a_tunnel_has_no_gpu() -> None:
    gpus = machine(vllm(), process(5200, "train.py", 15))
    tunnel = {facts.LISTENERS: (Listener("127.0.0.1", 8000, "ssh"),)}
    assert run_check(gpu_shared_with_others, given={**given(gpus), **tunnel}).status is (
        Status.SKIPPED
    )


def test_no_share_is_advised_that_is_too_small_for_any_engine() -> None:
    gpus = machine(vllm(1), process(5200, "train.py", 75))
    explanation = only(run_check(gpu_shared_with_others, given=given(gpus))).explanation
    assert "End or move them." in explanation
    assert "utilization" not in explanation


def test_a_machine_without_a_gpu() -> None:
    assert status(Gpus()) is Status.SKIPPED
