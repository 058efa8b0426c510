from __future__ import annotations

import pytest

from checks.response.response_without_choices import response_without_choices
from doctor import facts
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind, SdkAnswer
from doctor.models import Status
from tests.checks.response.replies import Given, only, reply
from tests.kit import connection, run_check

JSON = {"content-type": "application/json"}
TEXT = {"content-type": "text/plain; charset=utf-8"}


@pytest.mark.parametrize(
    ("body", "headers", "title", "python", "node"),
    [
        ('{"id":"1","object":"x"}', JSON, "has no choices", "not subscriptable", "reading '0'"),
        ('{"choices":null}', JSON, "choices: null", "not subscriptable", "of null (reading '0')"),
        ('{"choices":[]}', JSON, "empty list of choices", "IndexError", "reading 'message'"),
        ("", JSON, "empty body", "JSONDecodeError", "reading 'choices'"),
        ("", TEXT, "empty body", "'str' object has no attribute", "reading '0'"),
        ("null", JSON, "has no choices", "'NoneType' object has no", "of null (reading 'choices')"),
        ('"ok"', JSON, "has no choices", "'str' object has no attribute", "reading '0'"),
        ("[]", JSON, "has no choices", "'list' object has no attribute", "reading '0'"),
        ('data: {"x":1}\n', TEXT, "is a stream that was not", "'str' object has", "reading '0'"),
        ('{"choices":[{"mess', JSON, "breaks off", "JSONDecodeError", "Unexpected end of JSON"),
    ],
)
def test_each_shape_says_what_programs_print(
    body: str, headers: dict[str, str], title: str, python: str, node: str
) -> None:
    answer = reply(OutcomeKind.NO_CHOICES, body=body, headers=headers)

    finding = only(run_check(response_without_choices, given={facts.COMPLETION: answer}))

    assert title in finding.title
    assert python in finding.explanation
    assert node in finding.explanation


def test_a_stream_of_such_chunks_raises_in_the_loop() -> None:
    answer = reply(
        OutcomeKind.NO_CHOICES, streamed=True, events=('{"id":"1"}',), oddities=("choices-missing",)
    )

    finding = only(run_check(response_without_choices, given={facts.COMPLETION: answer}))

    assert "Every chunk is like that" in finding.explanation
    assert "no chunk and no error" not in finding.explanation


def test_keys_of_the_object_are_named() -> None:
    answer = reply(OutcomeKind.NO_CHOICES, body='{"status":"ok","value":1}')

    finding = only(run_check(response_without_choices, given={facts.COMPLETION: answer}))

    assert "status, value" in finding.explanation


@pytest.mark.parametrize(
    ("body", "maker"),
    [
        ('{"type":"message","content":[]}', "Anthropic Messages"),
        ('{"object":"response","output":[]}', "Responses"),
        ('{"candidates":[]}', "Google"),
        ('{"message":{},"done":true}', "Ollama"),
        ('{"object":"list","data":[]}', "GET /models"),
    ],
)
def test_the_answer_of_another_api_is_named(body: str, maker: str) -> None:
    answer = reply(OutcomeKind.NO_CHOICES, body=body)

    finding = only(run_check(response_without_choices, given={facts.COMPLETION: answer}))

    assert maker in finding.explanation


def test_a_chat_completion_without_choices_is_no_other_api() -> None:
    answer = reply(OutcomeKind.NO_CHOICES, body='{"id":"1","object":"chat.completion"}')

    finding = only(run_check(response_without_choices, given={facts.COMPLETION: answer}))

    assert "another API" not in finding.explanation


def test_messages_have_content_in_place_of_choices() -> None:
    target = connection(client="anthropic-sdk", protocol=Protocol.ANTHROPIC_MESSAGES)
    answer = reply(OutcomeKind.NO_CHOICES, body='{"id":"1"}')

    finding = only(run_check(response_without_choices, target, {facts.COMPLETION: answer}))

    assert finding.title == "The answer has no content"
    assert "Claude Code" in finding.explanation


def test_what_the_sdk_really_raised_is_evidence() -> None:
    given: Given = {
        facts.COMPLETION: reply(OutcomeKind.EMPTY_BODY),
        facts.SDK: SdkAnswer("openai 3.57.0", "JSONDecodeError", "Expecting value", line="choices"),
    }

    finding = only(run_check(response_without_choices, given=given))

    assert any("Expecting value" in item.value for item in finding.evidence)


def test_an_answer_and_a_web_page_are_not_its_business() -> None:
    for kind in (OutcomeKind.ANSWERED, OutcomeKind.WEB_PAGE, OutcomeKind.ERROR_IN_SUCCESS):
        result = run_check(response_without_choices, given={facts.COMPLETION: reply(kind)})
        assert result.status is Status.PASS


def test_no_completion_is_unknown() -> None:
    assert run_check(response_without_choices).status is Status.UNKNOWN
