"""Requests are found in whatever a recorder wraps them in."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.prefix.analyse import Analyser
from doctor.prefix.player import Engine
from doctor.prefix.prompts import NoPrompt, Reader
from doctor.prefix.sample import Sampler

from .requests import as_lines, chat

BODY = chat("rules", "hello there", tools=[{"name": "find"}])

RECORDS: dict[str, dict[str, Any]] = {
    "bare": BODY,
    "batch": {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": BODY},
    "recorder": {"request": {"method": "POST", "body": BODY}, "response": {"status": 200}},
    "body as text": {"request": {"body": json.dumps(BODY)}},
    "gateway": {"id": "x", "proxy_server_request": {"url": "…", "body": BODY}},
    "request itself": {"request": BODY, "latency": 3},
}


@pytest.mark.parametrize("name", RECORDS)
def test_where_records_keep_the_request(name: str) -> None:
    prompt = Reader().prompt(RECORDS[name])
    assert (prompt.model, prompt.system, prompt.turns) == (
        "shop-8b",
        "rules",
        ["user\nhello there"],
    )
    assert "find" in prompt.tools


def test_a_field_of_ones_own() -> None:
    assert Reader("a.b").prompt({"a": {"b": BODY}}).system == "rules"
    with pytest.raises(NoPrompt, match=r"nothing at a\.b"):
        Reader("a.b").prompt({"a": 3})


def test_every_api_in_its_own_form() -> None:
    read = Reader()
    messages = read.prompt(
        {
            "model": "m",
            "system": [{"type": "text", "text": "rules"}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {}}]}
            ],
        }
    )
    responses = read.prompt({"model": "m", "instructions": "rules", "input": "hi"})
    completions = read.prompt({"model": "m", "prompt": "once"})

    assert (messages.system, messages.turns) == ("rules", ["user\nhi"])
    assert (responses.system, responses.turns) == ("rules", ["hi"])
    assert completions.turns == ["once"]


def test_what_the_engine_reported_is_read() -> None:
    usage = {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}}
    prompt = Reader().prompt({"request": BODY, "response": {"usage": usage}})
    assert (prompt.cached, prompt.prompt_tokens) == (64, 100)

    usage["prompt_tokens_details"] = None
    assert Reader().prompt({"request": BODY, "response": {"usage": usage}}).untold
    assert (
        not Reader().prompt({"request": BODY, "response": {"usage": {"prompt_tokens": 9}}}).untold
    )

    anthropic = {"input_tokens": 4, "cache_read_input_tokens": 96, "cache_creation_input_tokens": 0}
    prompt = Reader().prompt({"request": BODY, "response": {"usage": anthropic}})
    assert (prompt.cached, prompt.prompt_tokens) == (96, 100)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("model", "messages", "content", "role", "body", "request", "tools", "x"),
                    *("system", "instructions", "input", "prompt", "text", "type", "image_url"),
                    *("hash_ids", "input_length", "prompt_token_ids", "model_parameters"),
                    *("proxy_server_request", "usage", "response", "cache_salt", "tool_calls"),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_whatever_stands_there_is_read_or_refused(record: Any) -> None:
    with contextlib.suppress(NoPrompt):
        assert isinstance(Reader().prompt(record).system, str)


messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]) | json_values},
        optional={"content": json_values},
    ),
    max_size=4,
)
bodies = st.fixed_dictionaries(
    {"model": st.just("m")},
    optional={
        "messages": messages,
        "input": messages | st.text(),
        "prompt": json_values,
        "system": json_values,
        "instructions": json_values,
        "tools": json_values,
        "hash_ids": st.lists(st.integers(), max_size=3),
        "input_length": st.integers(-5, 2_000),
        "usage": json_values,
    },
)


@given(st.lists(bodies, max_size=5))
def test_whatever_is_logged_is_analysed_written_and_sampled(records: list[Any]) -> None:
    sampler = Sampler()
    analyser = Analyser(Engine(), seen=sampler)
    analyser.lines(as_lines(records))
    analysis = analyser.finish()
    assert analysis.requests + analysis.unread.lines == len(records)
    assert 0 <= analysis.hit_rate <= analysis.hit_rate_after <= 1
