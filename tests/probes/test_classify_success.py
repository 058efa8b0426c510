"""Good statuses: the table of shapes, whole and streamed, in all three protocols."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import Redirect
from doctor.probes.classify import classify, classify_models
from doctor.probes.reading.streams import carries_content
from tests.probes.answers import anthropic, chat, chunk, delta, exchange, openai, sse

K = OutcomeKind
CHAT, MESSAGES, RESPONSES = (
    Protocol.OPENAI_CHAT,
    Protocol.ANTHROPIC_MESSAGES,
    Protocol.OPENAI_RESPONSES,
)
HTML = {"content-type": "text/html; charset=utf-8"}
PAGE = "<!doctype html><html><head><title>Relay</title></head><body></body></html>"

MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "tiny",
    "content": [{"type": "text", "text": "ok"}],
    "stop_reason": "end_turn",
}
RESPONSE = {
    "id": "r",
    "object": "response",
    "model": "tiny",
    "status": "completed",
    "error": None,
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "ok"}]}],
}

# Gateway facts §2.3 and the cases of kind choices-shape.
WHOLE = [
    (CHAT, chat(), {}, K.ANSWERED),
    (CHAT, chat(), {"content-type": "text/plain"}, K.ANSWERED),
    (CHAT, PAGE, HTML, K.WEB_PAGE),
    (CHAT, "", HTML, K.EMPTY_BODY),
    (CHAT, "<html>", {}, K.WEB_PAGE),
    (CHAT, "\n<!-- a --> <!-- b -->\n<!DOCTYPE  HTML>", {}, K.WEB_PAGE),
    (CHAT, "<?xml version='1.0'?>\n<html/>", {}, K.WEB_PAGE),
    (CHAT, "<!--x-->" * 8_000, {}, K.NOT_JSON),
    (CHAT, openai("quota", "insufficient_quota"), {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"success": False, "message": "Invalid token"}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"error": "Unexpected endpoint or method. (POST /x)"}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"code": 401, "msg": "login required"}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, [{"error": {"code": 400, "message": "bad"}}], {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"status": "449", "msg": "Your token has expired."}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"status": "error", "message": "bad"}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"errcode": 7, "errmsg": "bad"}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"Response": {"Error": {"Code": "X", "Message": "bad"}}}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"errors": {"message": "bad"}, "request_id": "r"}, {}, K.ERROR_IN_SUCCESS),
    (CHAT, {"code": 0, "msg": "success", "data": {"choices": []}}, {}, K.NO_CHOICES),
    (CHAT, chat() | {"code": 200, "status": "ok", "message": ""}, {}, K.ANSWERED),
    (
        CHAT,
        {"base_resp": {"status_code": 1004, "status_msg": "login fail"}, "choices": None},
        {},
        K.ERROR_IN_SUCCESS,
    ),
    (
        CHAT,
        {"choices": [{"error": {"code": 502, "message": "down"}, "finish_reason": "error"}]},
        {},
        K.ERROR_IN_SUCCESS,
    ),
    (CHAT, {"id": "x", "choices": None}, {}, K.NO_CHOICES),
    (CHAT, {"id": "x", "choices": []}, {}, K.NO_CHOICES),
    (CHAT, {"id": "x", "usage": {}}, {}, K.NO_CHOICES),
    (CHAT, {}, {}, K.NO_CHOICES),
    (CHAT, "", {"content-type": "application/json"}, K.EMPTY_BODY),
    (CHAT, "", {"content-type": "text/plain"}, K.EMPTY_BODY),
    (CHAT, " \n", {}, K.EMPTY_BODY),
    (CHAT, "null", {}, K.NO_CHOICES),
    (CHAT, '"ok"', {}, K.NO_CHOICES),
    (CHAT, "[]", {}, K.NO_CHOICES),
    (CHAT, "7", {}, K.NO_CHOICES),
    (CHAT, '{"id": "x", "choi', {}, K.NOT_JSON),
    (CHAT, "hello", {}, K.NOT_JSON),
    (CHAT, sse(chunk(delta("ok")), "[DONE]"), {}, K.NOT_JSON),
    (CHAT, "[" * 60_000, {}, K.NOT_JSON),
    (CHAT, chat(None), {}, K.CONTENT_EMPTY),
    (CHAT, chat("", reasoning_content="hm"), {}, K.CONTENT_EMPTY),  # case BR-127
    (CHAT, chat(None, "length", reasoning_content="hm"), {}, K.CONTENT_EMPTY),  # case BR-134
    (CHAT, chat(None, "tool_calls", tool_calls=[{"id": "t"}]), {}, K.ANSWERED),
    (CHAT, chat([{"type": "text", "text": "ok"}]), {}, K.ANSWERED),  # type: ignore[arg-type]
    (CHAT, {"choices": [{"text": "ok", "finish_reason": "stop"}]}, {}, K.ANSWERED),
    (CHAT, MESSAGE, {}, K.NO_CHOICES),
    (CHAT, RESPONSE, {}, K.NO_CHOICES),
    (MESSAGES, MESSAGE, {}, K.ANSWERED),
    (MESSAGES, MESSAGE | {"content": []}, {}, K.CONTENT_EMPTY),
    (MESSAGES, MESSAGE | {"content": None}, {}, K.NO_CHOICES),
    (MESSAGES, MESSAGE | {"content": [{"type": "tool_use", "id": "t"}]}, {}, K.ANSWERED),
    (MESSAGES, anthropic("api_error", "x"), {}, K.ERROR_IN_SUCCESS),
    (MESSAGES, chat(), {}, K.NO_CHOICES),
    (RESPONSES, RESPONSE, {}, K.ANSWERED),
    (RESPONSES, RESPONSE | {"output": [{"type": "reasoning"}]}, {}, K.CONTENT_EMPTY),
    (RESPONSES, RESPONSE | {"output": [{"type": "function_call"}]}, {}, K.ANSWERED),
    (RESPONSES, RESPONSE | {"error": {"message": "x"}, "output": []}, {}, K.ERROR_IN_SUCCESS),
    (RESPONSES, chat(), {}, K.NO_CHOICES),
]


@pytest.mark.parametrize(("protocol", "body", "headers", "kind"), WHOLE)
def test_a_whole_answer_is_understood(
    protocol: Protocol, body: object, headers: dict[str, str], kind: OutcomeKind
) -> None:
    assert classify(exchange(200, body, headers), protocol).kind is kind


def test_what_an_answer_tells_is_kept() -> None:
    outcome = classify(exchange(200, chat("hello", "length", reasoning="hm")), CHAT)
    assert (outcome.model, outcome.text, outcome.finish_reason) == ("m", "hello", "length")
    assert outcome.reasoning


def test_hidden_reasoning_is_seen_by_its_tokens() -> None:
    body = chat("", "length") | {"usage": {"completion_tokens_details": {"reasoning_tokens": 16}}}
    assert classify(exchange(200, body), CHAT).reasoning


def test_a_response_cut_by_its_budget_says_so() -> None:
    body = RESPONSE | {
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
    }
    assert classify(exchange(200, body), RESPONSES).finish_reason == "max_output_tokens"


def test_an_error_inside_success_keeps_its_words() -> None:
    outcome = classify(exchange(200, openai("no such model", "t", "model_not_found")), CHAT)
    assert (outcome.message, outcome.error_code) == ("no such model", "model_not_found")


@pytest.mark.parametrize(
    ("body", "oddity"),
    [
        ("null", "null"),
        ("[]", "array"),
        ('"x"', "string"),
        ('{"a":', "truncated"),
        (sse(chunk(delta("ok"))), "sse-unasked"),
    ],
)
def test_the_shape_of_a_wrong_body_is_named(body: str, oddity: str) -> None:
    assert classify(exchange(200, body), CHAT).oddities == (oddity,)


def test_a_redirect_that_was_not_followed() -> None:
    moved = exchange(301, "", redirect=Redirect(301, "https://other.example/v1", False))
    outcome = classify(moved, CHAT)
    assert outcome.kind is K.REDIRECTED
    assert outcome.message == "https://other.example/v1"


def test_a_redirect_that_was_followed_is_forgotten() -> None:
    followed = exchange(200, chat(), redirect=Redirect(307, "https://gateway.example/v1", True))
    assert classify(followed, CHAT).kind is K.ANSWERED


OK = delta("ok")
STOP = delta(finish="stop")
USAGE = chunk(usage={"prompt_tokens": 1})
NULL = {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": None}
FILTER = {"id": "", "choices": [], "model": "", "prompt_filter_results": [{}]}
NO_DELTA = {"id": "", "choices": [{"finish_reason": None, "index": 0}], "model": ""}
DONE = "[DONE]"

STREAMS: list[tuple[list[object], OutcomeKind, tuple[str, ...]]] = [
    ([chunk(delta("", role="assistant")), chunk(OK), chunk(STOP), DONE], K.ANSWERED, ()),
    ([chunk(OK), chunk(STOP)], K.ANSWERED, ()),
    ([chunk(OK), DONE], K.ANSWERED, ()),
    ([chunk(OK), chunk(STOP), USAGE, DONE], K.ANSWERED, ("usage-only",)),  # case BR-115
    ([chunk(OK), NULL, DONE], K.ANSWERED, ("null-choices",)),  # case BR-112
    ([FILTER, chunk(OK), chunk(STOP), DONE], K.ANSWERED, ("empty-choices",)),
    ([FILTER, DONE], K.NO_CHOICES, ("empty-choices",)),  # case BR-113
    ([NO_DELTA, DONE], K.NO_CHOICES, ("choice-without-delta",)),  # case BR-114
    ([chunk(OK), NO_DELTA, chunk(STOP), DONE], K.ANSWERED, ("choice-without-delta",)),
    ([chunk(OK)], K.ANSWERED, ("ended-early",)),
    ([chunk(delta("", role="assistant"))], K.STREAM_BROKEN, ("ended-early",)),
    ([openai("upstream gone")], K.STREAM_BROKEN, ("error-event",)),
    ([chunk(OK), openai("upstream gone")], K.ANSWERED, ("error-event",)),
    ([DONE], K.NO_CHOICES, ()),
    ([chunk(delta("")), chunk(STOP), DONE], K.CONTENT_EMPTY, ()),
    (
        [chunk(delta(reasoning_content="hm")), chunk(delta(finish="length")), DONE],
        K.CONTENT_EMPTY,
        (),
    ),
    ([chunk(delta(tool_calls=[{"index": 0}])), chunk(STOP), DONE], K.ANSWERED, ()),
    ([{"id": "c", "usage": {}}, DONE], K.NO_CHOICES, ("choices-missing",)),
    ([{"type": "message_start", "message": {}}], K.NO_CHOICES, ("choices-missing", "ended-early")),
    (["{broken", chunk(OK), chunk(STOP)], K.ANSWERED, ("not-json",)),
    ([{"choices": [{"text": "ok"}]}, DONE], K.ANSWERED, ()),
]


@pytest.mark.parametrize(("events", "kind", "oddities"), STREAMS)
def test_a_chat_stream_is_understood(
    events: list[object], kind: OutcomeKind, oddities: tuple[str, ...]
) -> None:
    outcome = classify(exchange(200, sse(*events), streamed=True), CHAT)
    assert (outcome.kind, outcome.oddities) == (kind, oddities)


def test_the_error_of_a_stream_keeps_its_words() -> None:
    outcome = classify(exchange(200, sse(openai("gone", "t", "c")), streamed=True), CHAT)
    assert (outcome.message, outcome.error_type, outcome.error_code) == ("gone", "t", "c")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (PAGE, K.WEB_PAGE),
        (chat(), K.STREAM_BROKEN),
        (openai("x"), K.ERROR_IN_SUCCESS),
        ({"id": "x"}, K.NO_CHOICES),
        ("", K.EMPTY_BODY),
        ("plain", K.NOT_JSON),
    ],
)
def test_a_stream_was_asked_for_and_something_else_came(body: object, kind: OutcomeKind) -> None:
    assert classify(exchange(200, body, {}, streamed=True), CHAT).kind is kind


def test_a_stream_that_never_starts_is_broken() -> None:
    waited = exchange(200, "", {"content-type": "text/event-stream"}, streamed=True, complete=False)
    assert classify(waited, CHAT).kind is K.STREAM_BROKEN


def test_a_stream_that_the_doctor_cancelled_is_an_answer() -> None:
    first = exchange(200, sse(chunk(delta(reasoning_content="hm"))), streamed=True, cancelled=True)
    outcome = classify(first, CHAT)
    assert (outcome.kind, outcome.reasoning, outcome.oddities) == (K.ANSWERED, True, ())


MESSAGES_STREAM = [
    {"type": "message_start", "message": {"model": "tiny", "content": []}},
    {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "ok"}},
    {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
    {"type": "message_stop"},
]
RESPONSES_STREAM = [
    {"type": "response.created", "response": {"model": "tiny"}},
    {"type": "response.output_text.delta", "delta": "ok"},
    {"type": "response.completed", "response": {"status": "completed"}},
]


@pytest.mark.parametrize(
    ("protocol", "events", "finish"),
    [(MESSAGES, MESSAGES_STREAM, "max_tokens"), (RESPONSES, RESPONSES_STREAM, "completed")],
)
def test_the_other_protocols_streams(
    protocol: Protocol, events: list[dict[str, Any]], finish: str
) -> None:
    outcome = classify(exchange(200, sse(*events), streamed=True), protocol)
    assert (outcome.kind, outcome.text, outcome.model) == (K.ANSWERED, "ok", "tiny")
    assert (outcome.finish_reason, outcome.oddities) == (finish, ())
    early = classify(exchange(200, sse(*events[:-2]), streamed=True), protocol)
    assert "ended-early" in early.oddities


@pytest.mark.parametrize(
    ("protocol", "event", "message"),
    [
        (MESSAGES, anthropic("overloaded_error", "Overloaded"), "Overloaded"),
        (RESPONSES, {"type": "response.failed", "response": {"error": {"message": "x"}}}, "x"),
        (RESPONSES, {"type": "error", "message": "y", "code": "c"}, "y"),
    ],
)
def test_error_events_of_the_other_protocols(
    protocol: Protocol, event: dict[str, Any], message: str
) -> None:
    outcome = classify(exchange(200, sse(event), streamed=True), protocol)
    assert (outcome.kind, outcome.message) == (K.STREAM_BROKEN, message)


@pytest.mark.parametrize(
    ("event", "content"),
    [
        (chunk(OK), True),
        (chunk(delta("", role="assistant")), False),
        (chunk(delta(reasoning="hm")), True),
        (NULL, False),
        (MESSAGES_STREAM[0], False),
        (MESSAGES_STREAM[1], False),
        (MESSAGES_STREAM[3], True),
        (RESPONSES_STREAM[0], False),
        (RESPONSES_STREAM[1], True),
        (openai("x"), False),
    ],
)
def test_the_first_content_is_recognised(event: object, content: bool) -> None:
    import json

    assert carries_content(json.dumps(event)) is content


CARD = {"id": "m", "object": "model", "created": 1626777600, "owned_by": "custom"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"object": "list", "data": [CARD]}, K.ANSWERED),
        ({"success": True, "data": [CARD], "object": "list"}, K.ANSWERED),
        ({"data": []}, K.ANSWERED),
        ({"data": None, "object": "list"}, K.ANSWERED),
        ({"data": [{"id": "m", "type": "model"}], "has_more": False}, K.ANSWERED),
        ({"models": [{"name": "m"}]}, K.ANSWERED),
        ([{"id": "m"}], K.ANSWERED),
        ([], K.NOT_SERVED),
        ({"hello": 1}, K.NOT_SERVED),
        (PAGE, K.WEB_PAGE),
        ({"success": False, "message": "Invalid token"}, K.ERROR_IN_SUCCESS),
        (openai("x"), K.ERROR_IN_SUCCESS),
        ("", K.EMPTY_BODY),
        ("data", K.NOT_JSON),
    ],
)
def test_a_models_list_is_understood(body: object, kind: OutcomeKind) -> None:
    assert classify_models(exchange(200, body, {})).kind is kind


def test_a_long_models_list_is_judged_by_all_of_it() -> None:
    import json

    text = json.dumps({"data": [CARD] * 2_000})
    assert classify_models(exchange(200, text[:65_536], {}), text).kind is K.ANSWERED


KEYS = (
    *("choices", "message", "content", "delta", "error", "errors", "detail", "type", "data"),
    *("output", "usage", "code", "finish_reason", "base_resp", "success", "response", "model"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from([200, 201, 204, 400, 401, 404, 422, 500, 503]), JSON, st.booleans())
def test_no_json_breaks_the_reader(status: int, body: object, streamed: bool) -> None:
    import json

    text = sse(body) if streamed else json.dumps(body)
    for protocol in Protocol:
        outcome = classify(exchange(status, text, {}, streamed=streamed), protocol)
        assert outcome.kind in OutcomeKind
    classify_models(exchange(status, text, {}))


@given(st.integers(100, 599), st.text(max_size=300), st.booleans())
def test_no_text_breaks_the_reader(status: int, body: str, streamed: bool) -> None:
    for protocol in Protocol:
        classify(exchange(status, body, {}, streamed=streamed), protocol)
