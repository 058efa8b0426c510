"""Answers of servers that people paste: what ``curl -v`` prints, bodies, streams and pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.explain.pasted.bodies import bodies_in
from doctor.explain.pasted.heads import heads_in
from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in

REFUSED = {"error": {"message": "Authentication Fails", "type": "authentication_error"}}
POOR = {"error": {"message": "Insufficient Balance", "type": "unknown_error", "code": 402}}
USAGE = {"id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 9}}
SPOKEN = {"id": "c1", "object": "chat.completion.chunk",
          "choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": None}]}  # fmt: skip
CUT = {"id": "m1", "type": "message", "role": "assistant", "content": [], "model": "made-up",
       "stop_reason": "max_tokens", "usage": {"input_tokens": 9, "output_tokens": 1}}  # fmt: skip
ANSWER = {"id": "c1", "object": "chat.completion", "model": "made-up",
          "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"},
                       "finish_reason": "stop"}]}  # fmt: skip


def _first(text: str) -> str:
    ranked = rank(symptoms_in(text.splitlines()), {})
    return ranked[0].cause.code if ranked else "nothing"


def _curl(status: str, body: object, kind: str = "application/json") -> str:
    told = body if isinstance(body, str) else json.dumps(body)
    return (
        "> POST /v1/chat/completions HTTP/2\n> Host: relay.example.com\n>\n"
        f"< HTTP/2 {status}\n< content-type: {kind}\n<\n{told}\n* Connection #0 left intact"
    )


def _validated(kind: str, where: list[str | int], told: str, given: object) -> str:
    """What FastAPI answers with 422."""
    error = {"type": kind, "loc": ["body", *where], "msg": told, "input": given}
    return json.dumps({"detail": [error]})


NEGATIVE = _validated(
    "greater_than_equal", ["max_tokens"], "Input should be greater than or equal to 0", -223
)

TEXTS = [
    ("FastAPI names a negative budget", NEGATIVE, "KVD606"),
    ("a gateway wraps FastAPI's words",
     json.dumps({"object": "error", "message": NEGATIVE, "code": "1000"}), "KVD606"),
    ("pydantic 1 has other words",
     json.dumps({"detail": [{"loc": ["body", "max_tokens"], "type": "value_error",
                             "msg": "ensure this value is greater than or equal to 1"}]}),
     "KVD606"),
    ("FastAPI names a cap",
     _validated("less_than_equal", ["max_tokens"], "Input should be less than or equal to 4096",
                8192), "KVD601"),
    ("FastAPI forbids a parameter",
     _validated("extra_forbidden", ["reasoning_effort"], "Extra inputs are not permitted", "low"),
     "KVD516"),
    ("FastAPI refuses a value",
     _validated("less_than_equal", ["temperature"], "Input should be less than or equal to 2", 3),
     "KVD516"),
    ("FastAPI misses the model", _validated("missing", ["model"], "Field required", None),
     "KVD503"),
    ("FastAPI misses something of another program",
     _validated("missing", ["customer"], "Field required", None), "nothing"),
    ("curl shows a refusal", _curl("401", REFUSED), "KVD111"),
    ("curl shows an empty balance", _curl("402", POOR), "KVD115"),
    ("curl shows a page", _curl("200", "<!doctype html><html></html>", "text/html"), "KVD201"),
    ("curl shows a redirect",
     "< HTTP/1.1 301 Moved Permanently\n< location: https://relay.example.com/v1\n<", "KVD207"),
    ("curl shows a proxy's refusal", "< HTTP/1.1 407 Proxy Authentication Required\n<", "KVD307"),
    ("a body alone", json.dumps(REFUSED), "KVD111"),
    ("a body over several lines", json.dumps(POOR, indent=2), "KVD115"),
    ("Python prints it", f"Error code: 402 - {POOR!r}", "KVD115"),
    ("Node prints it",
     "error: {\n  error: { message: 'Insufficient Balance', code: undefined }\n}", "KVD115"),
    ("a router wraps it", json.dumps({"error": {"message": f"Error from provider: {POOR!r}"}}),
     "KVD115"),
    ("a logger wraps it", json.dumps({"level": "error", "response": {"data": POOR}}), "KVD115"),
    ("a gateway hides it behind 200", _curl("200", POOR), "KVD115"),
    ("a stream whose last chunk has no choices",
     f"data: {json.dumps(SPOKEN)}\n\ndata: {json.dumps(USAGE)}\n\ndata: [DONE]\n", "KVD512"),
    ("an error in a stream", f"data: {json.dumps(POOR)}\n\n", "KVD115"),
    ("an answer that was cut at once", json.dumps(CUT), "KVD605"),
    ("an answer without choices",
     json.dumps({"id": "c1", "object": "chat.completion", "choices": None}), "KVD510"),
    ("nginx's page", "API error: <html>\n<head><title>404 Not Found</title></head>\n</html>",
     "KVD201"),
    ("the URL and the status apart",
     "url: 'https://relay.example.com/v1/responses',\n  statusCode: 404,", "KVD214"),
    ("a terminal breaks the line",
     "⚠ Auth conflict: Both a token (ANTHROPIC_AUTH_TOKEN) and an API key\n"
     "  (ANTHROPIC_API_KEY) are set. This may lead to", "KVD401"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), [row[1:] for row in TEXTS], ids=[r[0] for r in TEXTS])
def test_first_cause_of_what_was_pasted(text: str, code: str) -> None:
    assert _first(text) == code


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ANSWER),
        _curl("200", ANSWER),
        f"data: {json.dumps(SPOKEN)}\n\ndata: [DONE]\n",
        json.dumps({"model": "made-up", "messages": [{"role": "user", "content": "hi"}]}),
        json.dumps({"env": {"ANTHROPIC_BASE_URL": "https://relay.example.com"}}),
        "HTTP/1.1 200 Connection established\n< HTTP/2 200\n< content-type: application/json\n<\n"
        + json.dumps(ANSWER),
    ],
)
def test_a_sound_answer_a_request_and_settings_mean_nothing(text: str) -> None:
    assert _first(text) == "nothing"


def test_a_body_stands_where_it_begins_and_knows_its_status() -> None:
    (body,) = bodies_in(["trying", "Error code: 402", "", *json.dumps(POOR, indent=1).splitlines()])

    assert (body.line, body.status) == (4, 402)


def test_the_answer_to_connect_is_not_the_servers() -> None:
    lines = ["< HTTP/1.1 200 Connection established", "<", "< HTTP/2 404", "< server: made-up"]

    (head,) = heads_in(lines)

    assert (head.status, head.headers) == (404, {"server": "made-up"})


@given(st.text(alphabet="{}[]\"':,\\ nulTrue<html>data: HTTP/1.1 401\n", max_size=300))
def test_any_scraps_can_be_read(text: str) -> None:
    for seen in symptoms_in(text.splitlines()):
        assert seen.text.isprintable()


def test_the_work_on_a_long_text_is_bounded() -> None:
    nested = "{'a': " * 5_000

    assert symptoms_in([nested, "[" * 60_000, "{" * 60_000]) == ()


@pytest.mark.parametrize(
    "left_out", ["...", "b'raw'", "{1, 2}", "1j", "{'choices': ...}", "{(1, 2): 3}"]
)
def test_what_python_prints_and_json_has_not_is_borne(left_out: str) -> None:
    text = f"Error code: 401 - {{'error': {{'message': 'Unauthorized', 'more': {left_out}}}}}"
    assert _first(text) == "KVD111"
