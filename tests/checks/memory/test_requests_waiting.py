from __future__ import annotations

from checks.memory.requests_waiting import requests_waiting
from doctor.models import Finding, Severity, Status
from tests.checks.engines import QUEUE, Given, Values, at_work, state
from tests.checks.response.replies import only
from tests.enginemetrics.texts import histogram, line
from tests.kit import run_check


def queue(admitted: int, slow: int = 0) -> list[str]:
    """So many were admitted at once, and ``slow`` after more than 10 s."""
    return histogram(
        QUEUE,
        {"0.3": admitted, "10.0": admitted, "60.0": admitted + slow, "+Inf": admitted + slow},
        1,
    )


def given(before: Values, later: Values, admitted: int = 5, slow: int = 0) -> Given:
    return at_work(before, later, more=queue(100), more_later=queue(100 + admitted, slow))


def found(*arguments: object, **more: object) -> Finding:
    return only(run_check(requests_waiting, given=given(*arguments, **more)))  # type: ignore[arg-type]


def status(*arguments: object, **more: object) -> Status:
    return run_check(requests_waiting, given=given(*arguments, **more)).status  # type: ignore[arg-type]


def test_a_queue_that_grows_beyond_what_runs_is_an_error() -> None:
    finding = found(state(16, 20, 0.3), state(16, 40, 0.3))

    assert finding.severity is Severity.ERROR
    assert finding.title == "40 requests wait in the engine, 16 run"
    assert "the queue went from 20 to 40" in finding.explanation
    assert "only 30% used" in finding.explanation
    assert "--max-num-seqs" in finding.explanation


def test_a_slow_queue_is_told_with_its_time() -> None:
    finding = found(state(16, 4, 0.3), state(16, 4, 0.3), admitted=0, slow=6)
    assert finding.severity is Severity.ERROR
    assert "had waited 35.0 s or more" in finding.explanation


def test_a_queue_that_does_not_move_is_told() -> None:
    finding = found(state(16, 4, 0.3), state(16, 4, 0.3), admitted=0)
    assert finding.severity is Severity.WARNING
    assert "No request ended meanwhile" in finding.explanation


def test_the_pace_counts_where_those_that_ended_had_not_waited() -> None:
    finding = found(state(2, 28, 0.6), state(1, 28, 0.6), admitted=4)
    assert finding.severity is Severity.ERROR
    assert "the last of them waits about 14.0 s" in finding.explanation


def test_between_preemptions_memory_is_what_they_wait_for() -> None:
    finding = found(state(2, 28, 0.6), state(1, 28, 0.6, num_preemptions=3))
    assert "ran full meanwhile (3 preemptions)" in finding.explanation
    assert "--max-num-seqs" not in finding.explanation


def test_with_a_full_cache_memory_is_what_they_wait_for() -> None:
    finding = found(state(16, 20, 0.95), state(16, 40, 0.96))
    assert "wait for its blocks" in finding.explanation
    assert "--max-num-seqs" not in finding.explanation


def test_a_queue_that_is_emptied_at_once_is_how_batching_works() -> None:
    assert status(state(16, 4, 0.3), state(16, 4, 0.3), admitted=50) is Status.PASS
    assert status(state(16, 9, 0.3), state(16, 0, 0.3)) is Status.PASS
    assert status(state(), state()) is Status.PASS


def test_those_that_wait_for_something_else_are_not_promised_a_place() -> None:
    deferred = line("vllm:num_requests_waiting_by_reason", 30, reason="deferred")
    lines = [*queue(100), deferred]
    work = at_work(state(16, 20), state(16, 40), more=lines)
    finding = only(run_check(requests_waiting, given=work))
    assert "deferred" in finding.explanation
    assert "--max-num-seqs" not in finding.explanation
