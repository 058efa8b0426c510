from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.facts.answers import OutcomeKind, ServedModel
from doctor.token_budget import fitting, room_for_prompt, served_window
from doctor.token_refusals import Counts, read, refuses_thinking, thinking_budget
from doctor.token_usage import Limit, Usage, limit_of, thinking_took_budget, usage_of
from tests.checks.response.replies import reply
from tests.kit import connection

TOKENS = st.integers(1, 2_000_000)


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("message", "counts"),
    [
        (
            "This model's maximum context length is 16384 tokens. However, you requested 122946"
            " tokens (112946 in the messages, 10000 in the completion).",
            Counts(window=16_384, prompt=112_946, output=10_000, total=122_946),
        ),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens"
            " (3000 in the messages, 500 in the functions, and 1000 in the completion).",
            Counts(window=4_096, prompt=3_500, output=1_000, total=4_500),
        ),
        ("max_tokens must be at least 1, got -186.", Counts(over=186)),
        ("max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)", Counts()),
        (
            "max_tokens=4096 cannot be greater than max_model_len=2048. Please request fewer",
            Counts(window=2_048, output=4_096),
        ),
        (
            "max_tokens=393216 cannot be greater than max_model_len=max_total_tokens=262144.",
            Counts(window=262_144, output=393_216),
        ),
        (
            "This model's maximum context length is 256 tokens. However, your prompt contains 300"
            " input tokens, which exceeds this limit even without any output tokens.",
            Counts(window=256, prompt=300),
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum"
            " context length is 4096 tokens and your request has 30 input tokens (4096 > 4096 -"
            " 30).",
            Counts(window=4_096, prompt=30, output=4_096),
        ),
        (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            Counts(cap=8_192),
        ),
        (
            "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for it",
            Counts(cap=8_192, output=32_000),
        ),
        (
            "This model supports at most 4096 completion tokens, whereas you provided 32000.",
            Counts(cap=4_096, output=32_000),
        ),
        (
            "prompt is too long: 205000 tokens > 200000 maximum",
            Counts(window=200_000, prompt=205_000),
        ),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease",
            Counts(window=200_000, prompt=190_000, output=20_000),
        ),
        (
            "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
            Counts(window=40_960, prompt=61_709),
        ),
        (
            "maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000"
            " tokens from the input messages and 1000 tokens for the completion.",
            Counts(window=8_192, prompt=8_000, output=1_000, total=9_000),
        ),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and"
            " 100 `max_new_tokens`",
            Counts(window=4_096, prompt=5_000, output=100),
        ),
        ("the available context size (4096 tokens), try increasing it", Counts(window=4_096)),
        ("maximum context length is 32,768 tokens", Counts(window=32_768)),
        ("Invalid token", Counts()),
    ],
)
def test_the_wordings_of_the_servers(message: str, counts: Counts) -> None:
    assert read(message) == counts


@given(TOKENS, TOKENS, TOKENS)
def test_prompt_and_output_always_add_up_to_the_total(
    window: int, prompt: int, output: int
) -> None:
    total = prompt + output
    counts = read(
        f"This model's maximum context length is {window} tokens. However, you requested {total}"
        f" tokens ({prompt} in the messages, {output} in the completion)."
    )

    assert counts == Counts(window=window, prompt=prompt, output=output, total=total)


@given(st.text(max_size=500))
def test_any_text_can_be_read(text: str) -> None:
    for value in (read(text).window, read(text).output, read(text).over):
        assert value is None or value >= 0


# ------------------------------------------------------------------ budgets


@given(st.integers(1, 10_000_000))
def test_a_fitting_budget_leaves_room_in_every_window(window: int) -> None:
    assert 1 <= fitting(window) <= window
    assert fitting(window) >= window // 2
    assert fitting(window) + room_for_prompt(window) >= window


def test_fitting_budgets_of_common_windows() -> None:
    assert fitting(32_768) == 24_576
    assert fitting(2_048) == 1_024
    assert fitting(256) == 128
    assert fitting(1) == 1


def test_the_window_is_that_of_the_model_asked_for() -> None:
    served = (ServedModel("a", window=8_192), ServedModel("b", window=32_768), ServedModel("c"))

    assert served_window(served, "b") == 32_768
    assert served_window(served, "c") is None
    assert served_window(served, "B") is None
    assert served_window(None, "b") is None


# ------------------------------------------------------------------ usage


@pytest.mark.parametrize(
    ("body", "events", "usage"),
    [
        ('{"usage":{"prompt_tokens":9,"completion_tokens":3}}', (), Usage(9, 3)),
        (
            '{"usage":{"completion_tokens":3,"completion_tokens_details":{"reasoning_tokens":2}}}',
            (),
            Usage(None, 3, 2),
        ),
        ('{"usage":{"input_tokens":9,"output_tokens":4}}', (), Usage(9, 4)),
        ("", ('{"choices":[]}', '{"usage":{"completion_tokens":7}}', "[DONE]"), Usage(None, 7)),
        (
            "",
            (
                '{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}',
                '{"type":"message_delta","usage":{"output_tokens":12}}',
            ),
            Usage(9, 12),
        ),
        (
            "",
            ('{"type":"response.completed","response":{"usage":{"output_tokens":5}}}',),
            Usage(None, 5),
        ),
        ("<html>", (), Usage()),
        ('{"usage":{"completion_tokens":true,"prompt_tokens":-1}}', (), Usage()),
        ("[1]", (), Usage()),
    ],
)
def test_usage_of_the_three_protocols(body: str, events: tuple[str, ...], usage: Usage) -> None:
    assert usage_of(reply(body=body, events=events).exchange) == usage


@pytest.mark.parametrize(
    ("own", "sent", "used", "limit"),
    [
        (4_096, 4_096, None, Limit.CLIENT),
        (4_096, 4_096, 4_096, Limit.CLIENT),
        (4_096, 16, 16, Limit.DOCTOR),
        (None, 16, 17, Limit.DOCTOR),
        (None, 16, None, Limit.DOCTOR),
        (None, 16, 260, Limit.OTHER),
        (4_096, 16, 4_096, Limit.OTHER),
        (None, None, 100, Limit.OTHER),
    ],
)
def test_whose_limit_it_was(
    own: int | None, sent: int | None, used: int | None, limit: Limit
) -> None:
    body = "" if used is None else f'{{"usage":{{"completion_tokens":{used}}}}}'
    exchange = reply(request_max_tokens=sent, body=body).exchange

    assert limit_of(connection(max_tokens=own), exchange) is limit


def test_thinking_took_a_budget_only_where_there_was_thinking_and_no_answer() -> None:
    target = connection(max_tokens=64)
    spent: dict[str, Any] = {"request_max_tokens": 64, "finish_reason": "length"}

    thought = reply(OutcomeKind.CONTENT_EMPTY, reasoning=True, **spent)
    silent = reply(OutcomeKind.CONTENT_EMPTY, **spent)
    answered = reply(OutcomeKind.ANSWERED, reasoning=True, **spent)

    assert thinking_took_budget(target, thought)
    assert not thinking_took_budget(target, silent)
    assert not thinking_took_budget(target, answered)


@pytest.mark.parametrize(
    ("message", "budget"),
    [
        ("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our", None),
        ("`thinking.budget_tokens` must be less than `max_tokens`", None),
        ("max_tokens (4000) must be greater than thinking budget (8192)", 8_192),
        ("budget_tokens=16,384 must be smaller than max_completion_tokens=4000", 16_384),
        ("the reasoning budget 8192 exceeds max_tokens 4096", 8_192),
        ("max_tokens 必须大于 thinking.budget_tokens", None),
    ],
)
def test_a_thinking_budget_that_is_not_below_max_tokens(message: str, budget: int | None) -> None:
    assert refuses_thinking(message)
    assert thinking_budget(message) == budget


@pytest.mark.parametrize(
    "message",
    [
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        "max_tokens must be greater than 0; budget_tokens is optional",
        "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens",
        "The thinking budget 50000 is invalid. Please choose a value between 128 and 32768.",
    ],
)
def test_other_refusals_of_budgets_are_not_about_both(message: str) -> None:
    assert not refuses_thinking(message)
    assert thinking_budget(message) is None
