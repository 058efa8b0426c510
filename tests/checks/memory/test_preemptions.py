from __future__ import annotations

from checks.memory.preemptions import preemptions
from doctor.models import Severity, Status
from tests.checks.engines import Given, at_work, state
from tests.checks.response.replies import only
from tests.kit import run_check


def status(given: Given) -> Status:
    return run_check(preemptions, given=given).status


def test_preemptions_between_two_looks() -> None:
    work = at_work(state(48, 0, 0.86, num_preemptions=120), state(48, 0, 0.86, num_preemptions=123))
    finding = only(run_check(preemptions, given=work))

    assert finding.severity is Severity.WARNING
    assert finding.title == "3 preemptions in 2.0 s"
    assert "48 requests run" in finding.explanation
    assert "--max-num-seqs below 48" in finding.explanation


def test_what_was_counted_before_says_nothing_about_now() -> None:
    busy = state(48, 0, 0.86, num_preemptions=9_000)
    assert status(at_work(busy, busy)) is Status.PASS
    assert status(at_work(busy)) is Status.PASS


def test_a_server_that_was_started_anew_has_not_preempted() -> None:
    work = at_work(state(4, 1, num_preemptions=50), state(4, 1, num_preemptions=3))
    assert status(work) is Status.PASS
