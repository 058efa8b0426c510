"""Numbers in budget refusals: vLLM of every version, DeepSeek and others."""

# ruff: noqa: E501 - texts of servers stay on one line

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.probes.classify import classify
from doctor.probes.reading.budget import budget_of
from tests.probes.answers import exchange, flat, openai

K = OutcomeKind
OUTPUT, PROMPT, ZERO = K.MAX_TOKENS_REFUSED, K.PROMPT_TOO_LONG, K.MAX_TOKENS_NOT_POSITIVE

# (text, max_tokens that was sent, kind, limit, requested)
TEXTS = [
    # vLLM 0.6 to 0.10.0
    (
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens"
        " (112946 in the messages, 10000 in the completion). Please reduce the length of the"
        " messages or completion.",
        10000,
        PROMPT,
        16384,
        122946,
    ),
    (
        "This model's maximum context length is 6900 tokens. However, you requested 7322 tokens"
        " (6298 in the messages, 1024 in the completion). Please reduce the length of the messages"
        " or completion.",
        1024,
        PROMPT,
        6900,
        7322,
    ),
    (
        "This model's maximum context length is 4096 tokens. However, you requested 32010 tokens"
        " (10 in the messages, 32000 in the completion). Please reduce the length of the messages"
        " or completion.",
        32000,
        OUTPUT,
        4096,
        32000,
    ),
    (
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in"
        " the messages, Please reduce the length of the messages.",
        None,
        PROMPT,
        4096,
        5000,
    ),
    # 0.10.1 to 0.19.1
    (
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input"
        " tokens. Please reduce the length of the input messages.",
        16,
        PROMPT,
        4096,
        5000,
    ),
    (
        "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context"
        " length is 4096 tokens and your request has 10 input tokens (9000 > 4096 - 10).",
        9000,
        OUTPUT,
        4096,
        9000,
    ),
    (
        "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context"
        " length is 4096 tokens and your request has 3500 input tokens (1000 > 4096 - 3500).",
        1000,
        PROMPT,
        4096,
        4500,
    ),
    (
        "'max_tokens' (5000) cannot be greater than the model's maximum context length (4096).",
        5000,
        OUTPUT,
        4096,
        5000,
    ),
    (
        "You passed 10 input tokens and requested 5000 output tokens. However, the model's context"
        " length is only 4096 tokens, resulting in a maximum input length of 0 tokens.",
        5000,
        OUTPUT,
        4096,
        5000,
    ),
    # 0.18 to 0.31
    (
        "This model's maximum context length is 4096 tokens. However, you requested 4090 output"
        " tokens and your prompt contains at least 10 input tokens, for a total of at least 4100"
        " tokens. Please reduce the length of the input prompt or the number of requested output"
        " tokens. (parameter=input_tokens, value=10)",
        4090,
        OUTPUT,
        4096,
        4090,
    ),
    (
        "This model's maximum context length is 256 tokens. However, your prompt contains 5000"
        " characters (more than 3328 characters, which is the upper bound for 256 input tokens)."
        " Please reduce the length of the input prompt. (parameter=input_text, value=5000)",
        16,
        PROMPT,
        256,
        None,
    ),
    # 0.32
    (
        "This model's maximum context length is 256 tokens. However, your prompt contains at least"
        " 257 input tokens, which exceeds this limit even without any output tokens. Please reduce"
        " the length of the input prompt. (parameter=input_tokens, value=257)",
        16,
        PROMPT,
        256,
        257,
    ),
    (
        "max_tokens=4096 cannot be greater than max_model_len=2048. Please request fewer output"
        " tokens. (parameter=max_tokens, value=4096)",
        4096,
        OUTPUT,
        2048,
        4096,
    ),
    (
        "max_completion_tokens=400 cannot be greater than max_model_len=256. Please request fewer"
        " output tokens. (parameter=max_completion_tokens, value=400)",
        400,
        OUTPUT,
        256,
        400,
    ),
    (
        "max_output_tokens=500 cannot be greater than max_model_len=256. Please request fewer"
        " output tokens.",
        None,
        OUTPUT,
        256,
        500,
    ),
    (
        "max_tokens=393216 cannot be greater than max_model_len=max_total_tokens=262144. Please"
        " request fewer output tokens. (parameter=max_tokens, value=393216)",
        16,
        OUTPUT,
        262144,
        393216,
    ),
    *(
        (text, 4000, OutcomeKind.THINKING_REFUSED, None, 4000)
        for text in (
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our"
            " documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            "`thinking.budget_tokens` must be less than `max_tokens`",
            "max_tokens (4000) must be greater than thinking budget (8192)",
            "litellm.BadRequestError: AnthropicException - budget_tokens: 8192 must be smaller than"
            " max_completion_tokens",
            "thinking_budget 必须小于 max_tokens",
        )
    ),
    (
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        16,
        PROMPT,
        4096,
        5000,
    ),
    ("Input prompt (2501 tokens) is too long and exceeds limit of 2048", None, PROMPT, 2048, 2501),
    # not positive, and the prompt that leaves nothing
    ("max_tokens must be at least 1, got -186.", None, PROMPT, None, None),
    ("max_tokens must be at least 1, got -2815.", 1024, PROMPT, None, None),
    (
        "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)",
        16,
        PROMPT,
        None,
        None,
    ),
    ("max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)", 0, ZERO, 1, 0),
    ("max_tokens must be at least 1, got -1. (parameter=max_tokens, value=-1)", -1, ZERO, 1, -1),
    (
        "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
        0,
        ZERO,
        1,
        0,
    ),
    # caps of providers
    (
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        32000,
        OUTPUT,
        8192,
        32000,
    ),
    (
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        None,
        OUTPUT,
        8192,
        None,
    ),
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 0, ZERO, 8192, 0),
    (
        "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 16384]",
        32000,
        OUTPUT,
        16384,
        32000,
    ),
    (
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens,"
        " whereas you provided 100000.",
        100000,
        OUTPUT,
        16384,
        100000,
    ),
    (
        "max_tokens: 128000 > 8192, which is the maximum allowed number of output tokens for m",
        128000,
        OUTPUT,
        8192,
        128000,
    ),
    (
        "`max_tokens` must be less than or equal to `32768`, the maximum value",
        64000,
        OUTPUT,
        32768,
        64000,
    ),
    ("max_output_tokens must be in the range [1, 65537)", 70000, OUTPUT, 65536, 70000),
    (
        "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but"
        " got 100000 instead.",
        100000,
        OUTPUT,
        16384,
        100000,
    ),
    # prompts of others
    ("Range of input length should be [1, 30720]", 16, PROMPT, 30720, None),
    (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        16,
        PROMPT,
        1048576,
        1200000,
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in"
        " 300000 tokens.",
        16,
        PROMPT,
        272000,
        300000,
    ),
    ("The prompt is too long: 5000, model maximum context length: 4096", 16, PROMPT, 4096, 5000),
    ("invalid params, context window exceeds limit (2013)", 16, PROMPT, None, None),
    # sums of others
    (
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease"
        " input length or `max_tokens` and try again",
        20000,
        PROMPT,
        200000,
        210000,
    ),
    ("prompt is too long: 205000 tokens > 200000 maximum", 16, PROMPT, 200000, 205000),
    (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about"
        " 200010 tokens (10 of text input, 200000 in the output).",
        200000,
        OUTPUT,
        131072,
        200000,
    ),
    (
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You"
        " requested a total of 40010 tokens: 10 tokens from the input messages and 40000 tokens for"
        " the completion.",
        40000,
        OUTPUT,
        32768,
        40000,
    ),
    (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 10"
        " `inputs` tokens and 5000 `max_new_tokens`",
        5000,
        OUTPUT,
        4096,
        5000,
    ),
    (
        "Invalid request: Your request exceeded model token limit: 8192 (requested: 40010)",
        40000,
        OUTPUT,
        8192,
        40000,
    ),
    (
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        16,
        PROMPT,
        4096,
        5000,
    ),
]


@pytest.mark.parametrize(("said", "asked", "kind", "limit", "requested"), TEXTS)
def test_a_budget_text_gives_its_numbers(
    said: str, asked: int | None, kind: OutcomeKind, limit: int | None, requested: int | None
) -> None:
    for body in (openai(said, "BadRequestError", 400), flat(said)):
        sent = exchange(400, body, request_max_tokens=asked)
        outcome = classify(sent, Protocol.OPENAI_CHAT)
        assert (outcome.kind, outcome.limit, outcome.requested) == (kind, limit, requested)


def test_a_number_that_the_doctor_did_not_send_was_sent_on_the_way() -> None:
    error = {
        "type": "greater_than_equal",
        "loc": ["body", "max_tokens"],
        "msg": "Input should be greater than or equal to 0",
        "input": -223,
    }
    told = {"detail": [error]}
    framed = {"object": "error", "message": json.dumps(told), "code": "1000"}
    for body in (told, framed, {"error": {"message": f"upstream: {json.dumps(framed)}"}}):
        outcome = classify(exchange(422, body, request_max_tokens=16), Protocol.OPENAI_CHAT)
        assert (outcome.kind, outcome.requested) == (ZERO, -223)
        assert (
            outcome.message
            == "body.max_tokens: Input should be greater than or equal to 0, got -223"
        )


def test_what_a_request_lacks_is_not_refused() -> None:
    body = {"detail": [{"type": "missing", "loc": ["body", "customer"], "msg": "Field required"}]}
    outcome = classify(exchange(422, body), Protocol.OPENAI_CHAT)
    assert outcome.kind is K.BAD_REQUEST


@pytest.mark.parametrize(
    "said",
    [
        "Invalid token",
        "The model `max_tokens-1` does not exist.",
        "token quota is not enough, token remain quota: ＄0.1, need quota: ＄0.2",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "length of messages must be at least 1",
        "Unexpected token < in JSON at position 0",
        "",
    ],
)
def test_other_texts_speak_of_no_budget(said: str) -> None:
    assert budget_of(said, 16) is None


@given(st.integers(1, 10**7), st.integers(1, 10**7), st.integers(1, 10**7))
def test_the_larger_side_is_at_fault(window: int, prompt: int, output: int) -> None:
    said = (
        f"This model's maximum context length is {window} tokens. However, you requested"
        f" {prompt + output} tokens ({prompt} in the messages, {output} in the completion)."
    )
    budget = budget_of(said, output)
    assert budget is not None
    assert budget.limit == window
    if prompt >= window or prompt >= output:
        assert (budget.kind, budget.requested) == (PROMPT, prompt + output)
    else:
        assert (budget.kind, budget.requested) == (OUTPUT, output)


@given(st.text(max_size=400), st.none() | st.integers(-10, 10**6))
def test_no_text_breaks_the_reader(said: str, asked: int | None) -> None:
    budget_of(said + " max_tokens context length", asked)
