from __future__ import annotations

from checks.response.response_without_choices import response_without_choices
from checks.response.stream_broken import stream_broken
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import only, reply
from tests.kit import run_check

CHUNK = '{"choices":[{"index":0,"delta":{"content":"o"}}]}'
BROKEN = OutcomeKind.STREAM_BROKEN


def test_a_stream_without_events() -> None:
    answer = reply(BROKEN, streamed=True, headers={"content-type": "text/event-stream"})

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert "without a single event" in finding.title
    assert "No generation chunks were returned" in finding.explanation


def test_the_message_of_an_error_event_is_the_title() -> None:
    answer = reply(
        BROKEN,
        "upstream error: do request failed",
        streamed=True,
        events=(CHUNK, '{"error":{"message":"upstream error: do request failed"}}'),
        oddities=("error-event",),
    )

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert "upstream error: do request failed" in finding.title
    assert finding.severity is Severity.ERROR


def test_an_error_event_after_some_text_is_an_error_too() -> None:
    answer = reply(
        message="Overloaded", streamed=True, events=(CHUNK, "{}"), oddities=("error-event",)
    )

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert "Overloaded" in finding.title
    assert finding.severity is Severity.ERROR


def test_a_stream_that_just_stops() -> None:
    answer = reply(BROKEN, streamed=True, events=(CHUNK, CHUNK), oddities=("ended-early",))

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert "without saying that it is done" in finding.title
    assert "After 2 events" in finding.explanation


def test_an_answer_whose_stream_lacks_its_end_is_a_warning() -> None:
    answer = reply(streamed=True, events=(CHUNK,), oddities=("ended-early",))

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.WARNING


def test_a_stream_that_comes_at_once_after_a_long_wait_is_likely_buffered() -> None:
    answer = reply(streamed=True, events=(CHUNK,) * 12, ms_first_event=2400, ms_total=2402)

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.INFO
    assert finding.confidence is Confidence.LOW
    assert "likely" in finding.title


def test_healthy_streams_pass() -> None:
    spread = reply(streamed=True, events=(CHUNK,) * 12, ms_first_event=2400, ms_total=2600)
    quick = reply(streamed=True, events=(CHUNK,) * 12, ms_first_event=40, ms_total=41)
    cancelled = reply(streamed=True, events=(CHUNK,), cancelled=True, oddities=("ended-early",))

    for answer in (spread, quick, cancelled):
        assert run_check(stream_broken, given={facts.COMPLETION: answer}).status is Status.PASS


def test_a_stream_that_never_starts_and_one_that_stalls() -> None:
    silent = reply(
        BROKEN,
        streamed=True,
        complete=False,
        oddities=("no-events",),
        ms_headers=9,
        ms_total=10_009,
    )
    stalled = reply(
        streamed=True,
        complete=False,
        events=(CHUNK,),
        oddities=("ended-early",),
        fault_text="the stream stood still until 3 s were over",
    )

    starts = only(run_check(stream_broken, given={facts.COMPLETION: silent}))
    stalls = only(run_check(stream_broken, given={facts.COMPLETION: stalled}))

    assert starts.title == "The stream never starts"
    assert "10,009 ms" in starts.explanation
    assert stalls.title == "The stream breaks off"
    assert "stood still" in stalls.explanation
    assert stalls.severity is Severity.ERROR


def test_an_empty_stream_is_told_here_and_not_as_an_empty_body() -> None:
    answer = reply(
        OutcomeKind.EMPTY_BODY, streamed=True, headers={"content-type": "text/event-stream"}
    )

    assert "single event" in only(run_check(stream_broken, given={facts.COMPLETION: answer})).title
    assert run_check(response_without_choices, given={facts.COMPLETION: answer}).findings == ()


def test_a_whole_answer_where_a_stream_was_asked_for() -> None:
    answer = reply(
        BROKEN, streamed=True, body='{"choices":[]}', text="ok", oddities=("json-unasked",)
    )

    finding = only(run_check(stream_broken, given={facts.COMPLETION: answer}))

    assert "whole answer came" in finding.title
    assert "application/json" in finding.explanation


def test_a_whole_answer_is_no_stream() -> None:
    assert run_check(stream_broken, given={facts.COMPLETION: reply()}).status is Status.SKIPPED
