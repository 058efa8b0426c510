"""Marks for Anthropic's cache that stand before too little text."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.prefix.marked import minimum

from .requests import analysed

SHORT = "You are a local assistant. Cite files by path. " * 30
MARK = {"cache_control": {"type": "ephemeral"}}
NOTHING = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def asked(length: int, *, model: str = "claude-sonnet-4-6", **usage: int) -> dict[str, Any]:
    """A request that marks its system text, and an answer to ``length`` tokens."""
    question = "list the crates " * 10
    return {
        "request": {
            "model": model,
            "system": [{"type": "text", "text": SHORT, **MARK}],
            "messages": [{"role": "user", "content": question}],
        },
        "response": {"usage": {"input_tokens": length, **(NOTHING | usage)}},
    }


def test_the_whole_prompt_is_too_short() -> None:
    (one,) = analysed([asked(401), asked(402)]).marks.unkept

    assert (one.requests, one.minimum, one.sure) == (2, 2_048, True)
    assert 300 < one.marked < 402


def test_only_what_is_marked_is_too_short() -> None:
    record = asked(20_000)
    record["request"]["messages"][0]["content"] *= 200
    (one,) = analysed([record]).marks.unkept

    assert not one.sure
    assert one.marked < 1_000


def test_a_mark_on_the_whole_request_counts_to_its_end() -> None:
    record = asked(5_000)
    record["request"] |= MARK
    assert analysed([record]).marks.unkept == ()


@pytest.mark.parametrize(
    "records",
    [
        # Something was kept of another request.
        [asked(401), asked(5_000, cache_creation_input_tokens=4_000)],
        # Long enough: whatever it is, it is not this.
        [asked(6_000)],
        # Another service has other rules.
        [asked(401, model="qwen3-max")],
        # What is not told.
        [{**asked(401), "response": {"usage": {"input_tokens": 401}}}],
        [asked(401)["request"]],
    ],
)
def test_nothing_is_said_where_it_does_not_follow(records: list[dict[str, Any]]) -> None:
    assert analysed(records).marks.unkept == ()


def test_without_a_mark_nothing_is_to_be_kept() -> None:
    record = asked(401)
    del record["request"]["system"][0]["cache_control"]
    assert analysed([record]).marks.unkept == ()


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("claude-haiku-4-5-20251001", 4_096),
        ("anthropic/claude-opus-4.5", 4_096),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", 2_048),
        ("claude-sonnet-4-20250514", 1_024),
        ("claude-opus-4-1", 1_024),
        ("claude-3-7-sonnet-latest", 1_024),
        ("claude-opus-5", 512),
    ],
)
def test_how_much_a_model_caches_at_least(model: str, least: int) -> None:
    assert minimum(model) == least
