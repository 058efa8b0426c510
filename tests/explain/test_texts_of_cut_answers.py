"""Answers that broke off: what programs say of them, and what only sounds like it."""

from __future__ import annotations

import pytest

from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in

CUT = [
    "LLM response was truncated before it produced valid review JSON",
    "Error: Format JSON invalide: Unterminated string in JSON at position 147586",
    "SyntaxError: Unterminated string in JSON at position 9145 (line 1 column 9146)",
    "JSON Parse error: Unterminated string",
    "could not parse the response as JSON: EOF while parsing a string at line 1 column 4701",
    "JSONDecodeError: Unterminated string starting at: line 1 column 109 (char 108)",
    "Response was cut off: output token limit reached",
    "warning: the model hit max_tokens",
    "Error: Incomplete response returned, reason: max_output_tokens",
    "模型输出被截断，无法解析",
    "La réponse a été tronquée",
    'raw: "finish_reason": "length"',
    "stop_reason: max_tokens",
]

NOT_CUT = [
    "Output truncated to 30000 characters",
    "[tool output truncated]",
    "prompt was truncated to max_tokens",
    "The context was truncated because the token limit was reached",
    "日志已截断",
    "SyntaxError: unterminated string literal (detected at line 3)",
    "Failed to parse ~/.claude/settings.json: Unterminated string in JSON at position 120",
    "token limit exceeded for this organization",
    "finish_reason=stop",
]


def codes(text: str) -> list[str]:
    return [ranked.cause.code for ranked in rank(symptoms_in([text]), {})]


@pytest.mark.parametrize("text", CUT)
def test_the_answer_was_cut_and_thinking_may_have_done_it(text: str) -> None:
    assert codes(text)[:2] == ["KVD514", "KVD605"]


@pytest.mark.parametrize("text", NOT_CUT)
def test_something_else_was_cut(text: str) -> None:
    assert "KVD514" not in codes(text)


def test_where_nothing_at_all_was_there_to_read_the_body_is_empty() -> None:
    assert codes("EOF while parsing a value at line 1 column 0")[0] == "KVD510"


def test_a_server_that_refuses_the_budget_is_another_matter() -> None:
    refused = "max_tokens is too large: 204096. This model supports at most 64000 output tokens"

    assert codes(refused)[0] == "KVD601"
