from __future__ import annotations

import pytest

from checks.response.parameter_refused import parameter_refused
from doctor import facts
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Severity, Status
from tests.checks.response.replies import only, reply
from tests.kit import connection, run_check

REFUSED = OutcomeKind.PARAMETER_REFUSED


@pytest.mark.parametrize(
    ("message", "param", "name", "advice"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
            " 'max_completion_tokens' instead.",
            "max_tokens",
            "max_tokens",
            "Send max_completion_tokens in place of max_tokens",
        ),
        (
            "Unrecognized request argument supplied: max_completion_tokens",
            "",
            "max_completion_tokens",
            "Send max_tokens in place of max_completion_tokens",
        ),
        (
            "Unsupported value: 'temperature' does not support 0.7 with this model. Only the"
            " default (1) value is supported.",
            "temperature",
            "temperature",
            "default only",
        ),
        (
            "Requested sample logprobs of 50, which is greater than max allowed: 20"
            " (parameter=logprobs, value=50)",
            "",
            "logprobs",
            "Leave logprobs out",
        ),
    ],
)
def test_the_parameter_and_what_to_send_are_named(
    message: str, param: str, name: str, advice: str
) -> None:
    answer = reply(REFUSED, message, status=400, param=param)

    finding = only(
        run_check(parameter_refused, connection(max_tokens=4096), {facts.COMPLETION: answer})
    )

    assert finding.title.endswith(name)
    assert advice in finding.explanation
    assert finding.severity is Severity.ERROR


def test_tools_without_a_parser_are_the_engines_fault() -> None:
    message = (
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    )
    answer = reply(REFUSED, message, status=400)

    result = run_check(parameter_refused, given={facts.COMPLETION: answer})

    assert result.status is Status.PASS  # KVD911 tells of it


def test_a_budget_that_only_the_doctor_sends_is_a_warning() -> None:
    answer = reply(REFUSED, "Unsupported parameter: 'max_tokens'", status=400, param="max_tokens")

    finding = only(run_check(parameter_refused, given={facts.COMPLETION: answer}))

    assert finding.severity is Severity.WARNING
    assert finding.confidence is Confidence.MEDIUM


def test_an_answer_passes() -> None:
    assert run_check(parameter_refused, given={facts.COMPLETION: reply()}).status is Status.PASS
