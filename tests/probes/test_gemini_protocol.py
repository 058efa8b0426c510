"""Google's own API: what its answers mean, where its requests go, and how they are shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from doctor import bases
from doctor.bases import Convention, Fault
from doctor.clients import profile, speaking
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
from doctor.facts.answers import Exchange, Outcome, OutcomeKind
from doctor.probes.classify import classify, classify_models
from doctor.probes.reading.modelslist import models_in
from doctor.probes.wire import Plan, completion_body, headers
from doctor.secrets import Secret
from doctor.settings.providers import provider
from doctor.token_usage import usage_of
from doctor.tui.curl import curl
from doctor.urls import read

GEMINI = Protocol.GEMINI_GENERATE
K = OutcomeKind
SHELL = Origin(OriginKind.ENVIRONMENT, "GEMINI_API_KEY")


def said(*parts: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "m"}


def of_stream(*events: dict[str, Any], **more: Any) -> Outcome:
    lines = tuple(json.dumps(event) for event in events)
    exchange = Exchange("completion", "POST", "u", 200, events=lines, streamed=True, **more)
    return classify(exchange, GEMINI)


def of_body(body: Any, status: int = 200) -> Outcome:
    text = json.dumps(body)
    exchange = Exchange("completion", "POST", "u", status, body=text, body_bytes=len(text))
    return classify(exchange, GEMINI)


def test_a_stream_is_the_sum_of_its_pieces() -> None:
    outcome = of_stream(said({"text": "po"}), said({"text": "ng"}, finish="STOP"))

    assert outcome.kind is K.ANSWERED
    assert (outcome.text, outcome.finish_reason, outcome.model) == ("pong", "STOP", "m")
    assert outcome.oddities == ()


def test_thoughts_are_no_answer() -> None:
    outcome = of_stream(said({"text": "hm", "thought": True}, finish="STOP"))

    assert outcome.kind is K.CONTENT_EMPTY
    assert outcome.reasoning


def test_a_call_of_a_tool_is_one() -> None:
    call = {"functionCall": {"name": "ls", "args": {}}}

    assert of_stream(said(call, finish="STOP")).kind is K.ANSWERED


def test_a_stream_that_breaks_off() -> None:
    assert "ended-early" in of_stream(said({"text": "po"})).oddities


def test_an_error_in_the_stream() -> None:
    outcome = of_stream({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})

    assert outcome.kind is K.STREAM_BROKEN
    assert outcome.message == "overloaded"


def test_events_without_candidates() -> None:
    assert of_stream({"choices": []}).kind is not K.ANSWERED
    assert of_stream(
        said({"text": "ok"}, finish="STOP"), {"usageMetadata": {"promptTokenCount": 1}}
    ).kind is K.ANSWERED  # fmt: skip


def test_whole_bodies() -> None:
    assert of_body(said({"text": "pong"}, finish="STOP")).kind is K.ANSWERED
    assert of_body({"candidates": []}).kind is K.NO_CHOICES
    assert of_body({"choices": [{"message": {"content": "x"}}]}).kind is K.NO_CHOICES
    assert of_body({"candidates": [{"content": None}]}).kind is K.CONTENT_EMPTY


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "API key not valid. Please pass a valid API key.", K.KEY_REFUSED),
        (404, "models/gemini-2.5-x is not found for API version v1beta", K.MODEL_UNKNOWN),
        (404, "models/m is not supported for generateContent", K.MODEL_UNKNOWN),
    ],
)
def test_refusals(status: int, message: str, kind: K) -> None:
    assert of_body({"error": {"code": status, "message": message}}, status).kind is kind


def test_its_list_of_models() -> None:
    listed = {"models": [{"name": "models/gemini-2.5-pro", "inputTokenLimit": 1}]}
    text = json.dumps(listed)
    exchange = Exchange("models", "GET", "u", 200, body=text, body_bytes=len(text))

    assert classify_models(exchange).kind is K.ANSWERED
    assert [model.id for model in models_in(listed) or ()] == ["gemini-2.5-pro"]


def test_its_counts_of_tokens() -> None:
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 5}
    text = json.dumps({**said({"text": "x"}), "usageMetadata": usage})
    found = usage_of(Exchange("completion", "POST", "u", 200, body=text))

    assert (found.prompt, found.output, found.reasoning) == (3, 7, 5)


def connection(base: str = "http://h") -> Connection:
    return Connection(
        client="gemini-cli",
        protocol=GEMINI,
        base_url=Setting(base, SHELL),
        key=Setting(Secret("AIza-made-up-0000"), SHELL),
        model=Setting("m", SHELL),
        auth=Setting(profile("gemini-cli").auth, SHELL),
        stream=False,
    )


def test_its_requests() -> None:
    plan = Plan.of(connection(), "m")

    assert plan.stream  # the path says so
    assert json.loads(completion_body(GEMINI, plan)) == {
        "contents": [{"role": "user", "parts": [{"text": "ping"}]}],
        "generationConfig": {"maxOutputTokens": 16},
    }
    sent = dict(headers(connection(), key="k", body=True))
    assert sent["x-goog-api-key"] == "k"
    assert "authorization" not in sent


def test_as_a_command_for_others() -> None:
    command = curl(connection())

    assert command is not None
    assert '-H "x-goog-api-key: ${GEMINI_API_KEY}"' in command
    assert "maxOutputTokens" in command
    assert "AIza" not in command


def test_a_client_speaks_it() -> None:
    assert speaking(GEMINI) == "gemini-cli"


CONVENTION = Convention.of(profile("gemini-cli"), GEMINI)


@pytest.mark.parametrize(
    ("given", "right", "fault"),
    [
        ("http://h/v1beta", "http://h", Fault.DOUBLED),
        ("http://h/a/v1beta/models/m:generateContent", "http://h/a", Fault.ENDPOINT),
        ("http://h/v1beta/v1beta", "http://h", Fault.DOUBLED),
        ("http://h?utm_source=x", "http://h", Fault.QUERY),
    ],
)
def test_what_is_wrong_with_a_base(given: str, right: str, fault: Fault) -> None:
    base = read(given).base
    assert base is not None
    candidate = bases.certain(base, CONVENTION)

    assert candidate is not None
    assert (candidate.base, candidate.fault) == (right, fault)


@pytest.mark.parametrize("given", ["http://h", "http://h/api", "http://h/models"])
def test_a_base_with_which_nothing_is_surely_wrong(given: str) -> None:
    base = read(given).base
    assert base is not None

    assert bases.certain(base, CONVENTION) is None


def test_googles_own_base() -> None:
    google = provider("gemini")
    base = read("https://generativelanguage.googleapis.com/v1beta/openai").base
    assert base is not None
    candidate = bases.known(base, CONVENTION, google)

    assert candidate is not None
    assert candidate.base == "https://generativelanguage.googleapis.com"
    assert bases.base_for("https://h/v1", bases.OPENAI, CONVENTION) is None
