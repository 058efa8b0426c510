from __future__ import annotations

from checks.memory.kv_cache_saturated import kv_cache_saturated
from doctor import facts
from doctor.models import Finding, Hop, Severity, Status
from tests.checks.engines import NONE, Given, at_work, state
from tests.checks.response.replies import only
from tests.kit import run_check


def found(given: Given) -> Finding:
    return only(run_check(kv_cache_saturated, given=given))


def status(given: Given) -> Status:
    return run_check(kv_cache_saturated, given=given).status


FULL = state(64, 37, 0.98, num_preemptions=812)
FULLER = state(64, 42, 0.99, num_preemptions=821)


def test_a_full_cache_with_a_queue_is_an_error() -> None:
    finding = found(at_work(FULL, FULLER))

    assert finding.severity is Severity.ERROR
    assert finding.hop is Hop.KV
    assert finding.title == "The KV cache is full (99% used) and 42 requests wait"
    assert "In use 98%, and 99% 2.0 s later" in finding.explanation
    assert "preempted meanwhile 9" in finding.explanation
    assert set(finding.explains) == {"KVD808", "KVD809"}
    assert not finding.blocking


def test_preemptions_alone_say_that_it_is_full() -> None:
    finding = found(at_work(state(40, 0, 0.93), state(40, 0, 0.88, num_preemptions=4)))
    assert finding.title == "The KV cache is full (93% used): 4 preemptions"


def test_it_was_full_between_two_looks_that_found_room() -> None:
    finding = found(at_work(state(2, 28, 0.62), state(1, 27, 0.66, num_preemptions=5)))
    assert finding.severity is Severity.ERROR
    assert finding.title == (
        "The KV cache runs full again and again: 5 preemptions, and 27 requests wait"
    )


def test_a_full_cache_that_serves_everybody_is_a_warning() -> None:
    finding = found(at_work(state(8, 0, 0.98), state(8, 0, 0.99)))
    assert finding.severity is Severity.WARNING
    assert "Nothing waits yet" in finding.explanation


def test_a_moment_of_fullness_is_no_fault() -> None:
    assert status(at_work(state(8, 3, 0.97), state(8, 0, 0.6))) is Status.PASS
    assert status(at_work(state(8, 0, 0.85), state(8, 0, 0.85))) is Status.PASS


def test_an_idle_engine_is_well() -> None:
    assert status(at_work(state())) is Status.PASS


def test_without_an_engine_there_is_nothing_to_look_at() -> None:
    assert status({facts.ENGINE: NONE}) is Status.SKIPPED


def test_an_engine_that_does_not_tell_is_unknown() -> None:
    given = at_work(state())
    del given[facts.METRICS]
    assert status(given) is Status.UNKNOWN


def advice(**cache: str) -> str:
    return found(at_work(FULL, FULLER, cache=cache)).explanation


def test_the_advice_keeps_to_how_the_cache_was_sized() -> None:
    assert "--gpu-memory-utilization is 0.9; raise it" in advice()
    by_bytes = advice(kv_cache_memory_bytes=str(3 * 2**30))
    assert "set to 3.0 GiB (--kv-cache-memory-bytes" in by_bytes
    assert "utilization" not in by_bytes
    by_blocks = advice(num_gpu_blocks_override="64")
    assert "--num-gpu-blocks-override limits the cache to 64 blocks" in by_blocks
    assert "utilization" not in by_blocks
    assert "raise" not in advice(gpu_memory_utilization="0.97")


def test_what_is_stored_in_eight_bits_is_not_to_be_stored_smaller() -> None:
    assert "--kv-cache-dtype fp8" in advice()
    assert "--kv-cache-dtype" not in advice(cache_dtype="fp8_e4m3")
