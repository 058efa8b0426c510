from __future__ import annotations

import pytest

from checks.response.stream_chunk_without_choices import stream_chunk_without_choices
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Severity, Status
from tests.checks.response.replies import only, reply
from tests.kit import run_check

TEXT = '{"choices":[{"index":0,"delta":{"content":"Hi"}}]}'
NULL = '{"id":"c1","choices":null}'
USAGE = '{"id":"c1","choices":[],"usage":{"prompt_tokens":43,"completion_tokens":2}}'
FILTER = '{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}'
NO_DELTA = '{"choices":[{"index":0,"content_filter_offsets":{"check_offset":3329}}]}'


@pytest.mark.parametrize(
    ("event", "oddity", "severity", "python"),
    [
        (NULL, "null-choices", Severity.WARNING, "not subscriptable"),
        (FILTER, "empty-choices", Severity.WARNING, "IndexError"),
        (NO_DELTA, "choice-without-delta", Severity.WARNING, "has no attribute 'content'"),
    ],
)
def test_each_chunk_is_shown_with_what_code_prints_and_how_to_skip_it(
    event: str, oddity: str, severity: Severity, python: str
) -> None:
    answer = reply(streamed=True, events=(TEXT, event, "[DONE]"), oddities=(oddity,))

    finding = only(run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer}))

    assert finding.severity is severity
    assert python in finding.explanation
    assert "if not chunk.choices" in finding.explanation
    assert finding.evidence[0].value == event
    assert finding.evidence[0].location == "chunk 2"


def test_a_last_chunk_with_the_usage_alone_is_nothing() -> None:
    answer = reply(streamed=True, events=(TEXT, USAGE, "[DONE]"), oddities=("usage-only",))

    result = run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer})

    assert result.status is Status.PASS


def test_the_filters_chunk_is_told_as_azures() -> None:
    answer = reply(streamed=True, events=(FILTER, TEXT), oddities=("empty-choices",))

    finding = only(run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer}))

    assert "Azure" in finding.explanation


@pytest.mark.parametrize(
    "kind", [OutcomeKind.NO_CHOICES, OutcomeKind.CONTENT_EMPTY, OutcomeKind.STREAM_BROKEN]
)
def test_a_stream_of_nothing_else_is_an_error_with_its_consequences(kind: OutcomeKind) -> None:
    answer = reply(kind, streamed=True, events=(FILTER, "[DONE]"), oddities=("empty-choices",))

    finding = only(run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.ERROR
    assert {"KVD510", "KVD513", "KVD515"} <= set(finding.explains)


def test_an_answer_that_is_empty_is_not_blamed_on_a_chunk_beside_it() -> None:
    empty = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
    answer = reply(
        OutcomeKind.CONTENT_EMPTY,
        streamed=True,
        events=(FILTER, empty, USAGE),
        oddities=("empty-choices", "usage-only"),
    )

    finding = only(run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.WARNING
    assert finding.explains == ()


def test_the_gravest_of_several_gives_the_title() -> None:
    answer = reply(streamed=True, events=(NULL, USAGE), oddities=("usage-only", "null-choices"))

    finding = only(run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer}))

    assert "null" in finding.title
    assert finding.severity is Severity.WARNING


def test_a_stream_in_which_no_chunk_has_choices_is_left_to_its_own_check() -> None:
    answer = reply(
        OutcomeKind.NO_CHOICES, streamed=True, events=("{}",), oddities=("choices-missing",)
    )

    result = run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer})

    assert result.status is Status.PASS


def test_an_ordinary_stream_passes() -> None:
    answer = reply(streamed=True, events=(TEXT, "[DONE]"))

    result = run_check(stream_chunk_without_choices, given={facts.COMPLETION: answer})

    assert result.status is Status.PASS


def test_an_error_among_signs_of_life_is_told_as_the_error() -> None:
    ping, error = '{"type": "ping"}', '{"type":"error","error":{"message":"Concurrency limit"}}'
    odd = ("choices-missing", "error-event")
    broken = reply(OutcomeKind.STREAM_BROKEN, streamed=True, events=(ping, error), oddities=odd)

    result = run_check(stream_chunk_without_choices, given={facts.COMPLETION: broken})

    assert result.status is Status.PASS
