"""Streams taken apart as they come: the pieces do not depend on how the network cuts them."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from doctor.connection import Protocol
from doctor.facts.answers import Exchange
from doctor.probes.streaming import Listener, Shot
from doctor.token_usage import usage_of

CHAT = Protocol.OPENAI_CHAT


def chat(content: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]}


def written(values: list[dict[str, Any]], end: str = "\n") -> bytes:
    events = [f"data: {json.dumps(value, ensure_ascii=False)}{end}{end}" for value in values]
    return "".join((": a comment", end, end, *events, "data: [DONE]", end, end)).encode()


def heard(data: bytes, cuts: list[int], protocol: Protocol = CHAT) -> tuple[int, tuple[str, ...]]:
    """How many pieces, and the data of the last events."""
    listener = Listener(protocol)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for number, (start, stop) in enumerate(itertools.pairwise(places)):
        listener.feed(data[start:stop], float(number))
    events = listener.end(99.0)
    return len(listener.moments), events


texts = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6)
cuts = st.lists(st.integers(0, 10_000), max_size=12)


@given(texts, cuts, st.sampled_from(["\n", "\r\n", "\r"]))
def test_cuts_and_line_ends_do_not_matter(contents: list[str], at: list[int], end: str) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": len(contents)}}
    data = written([chat(""), *(chat(content) for content in contents), usage], end)
    pieces, events = heard(data, at)

    assert pieces == len(contents)
    assert events[-1] == "[DONE]"
    told = usage_of(Exchange("bench", "POST", "", 200, events=events))
    assert (told.prompt, told.output) == (9, len(contents))


@given(st.lists(st.binary(max_size=60), max_size=12))
def test_whatever_comes_is_taken(chunks: list[bytes]) -> None:
    listener = Listener(CHAT)
    for chunk in chunks:
        listener.feed(chunk, 0.0)
    assert all(isinstance(event, str) for event in listener.end(1.0))


def test_text_that_looks_like_a_piece_is_none() -> None:
    role = {"choices": [{"delta": {"role": "assistant", "content": ""}}], "note": '"content":"x'}
    assert heard(written([role]), [])[0] == 0


def test_an_answer_that_thinks_first_begins_with_its_thoughts() -> None:
    thought = {"choices": [{"delta": {"reasoning_content": "hm"}}]}
    assert heard(written([thought, chat("ok")]), [])[0] == 2


def test_the_messages_api() -> None:
    values: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 7}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "delta": {"type": "text", "text": t}} for t in "abc"),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    pieces, events = heard(written(values), [3, 50], Protocol.ANTHROPIC_MESSAGES)
    told = usage_of(Exchange("bench", "POST", "", 200, events=events))
    assert (pieces, told.prompt, told.output) == (3, 7, 3)


def test_time_per_token_leaves_the_first_one_out() -> None:
    shot = Shot(began=10.0, latency=3.0, moments=[11.0, 11.5, 12.0], output=5)
    assert (shot.ttft, shot.tpot) == (1.0, 0.25)
    assert Shot(began=0.0, moments=[1.0], output=1).tpot is None
