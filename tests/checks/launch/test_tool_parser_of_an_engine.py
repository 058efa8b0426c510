"""KVD911 where a running engine refuses what an agent's every request holds."""

from __future__ import annotations

from checks.launch.tool_parser_missing import tool_parser_missing
from doctor import facts
from doctor.connection import Protocol
from doctor.facts.answers import ModelsReply, OutcomeKind, ServedModel
from doctor.models import Status
from tests.checks.response.replies import only, reply
from tests.kit import connection, run_check

MESSAGE = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
CLAUDE = connection(
    "http://127.0.0.1:8000",
    model="mine",
    client="claude-code",
    protocol=Protocol.ANTHROPIC_MESSAGES,
)


def test_the_flags_and_the_likely_parser_are_named() -> None:
    answer = reply(OutcomeKind.PARAMETER_REFUSED, MESSAGE, status=400)
    listed = ModelsReply(reply(), (ServedModel("mine", root="/models/Qwen3-8B"),))

    finding = only(
        run_check(tool_parser_missing, CLAUDE, {facts.COMPLETION: answer, facts.MODELS: listed})
    )

    assert "--enable-auto-tool-choice --tool-call-parser hermes" in finding.explanation
    assert finding.explanation.startswith("Claude Code offers tools with every request")


def test_without_a_known_model_the_name_is_left_open() -> None:
    answer = reply(OutcomeKind.PARAMETER_REFUSED, MESSAGE, status=400)

    finding = only(run_check(tool_parser_missing, CLAUDE, {facts.COMPLETION: answer}))

    assert "--tool-call-parser NAME" in finding.explanation


def test_another_refusal_is_none_of_it() -> None:
    answer = reply(OutcomeKind.PARAMETER_REFUSED, "Unsupported parameter: 'top_k'", status=400)

    result = run_check(tool_parser_missing, CLAUDE, {facts.COMPLETION: answer})

    assert result.status is Status.PASS


def test_an_answer_passes() -> None:
    result = run_check(tool_parser_missing, CLAUDE, {facts.COMPLETION: reply()})

    assert result.status is Status.PASS
