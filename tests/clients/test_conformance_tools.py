"""The tools of tests/live/conformance, with a little program in the place of a client."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from doctor.clients.prediction import Prediction
from doctor.secrets import Secret
from tests.live.conformance.answers import answer
from tests.live.conformance.case import Case, Scene
from tests.live.conformance.comparing import mismatches
from tests.live.conformance.recorder import Recorded, Recorder, asks_a_model, recording
from tests.live.setup_clients import client_names, versions

PATHS = ["/v1/chat/completions", "/v1/responses", "/v1/messages?beta=true"]


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with recording() as recorder:
        yield recorder


def scene(recorder: Recorder, folder: Path) -> Scene:
    values = {"base": recorder.base, "port": str(recorder.port), "proxy": recorder.proxy}
    return Scene(folder, folder, folder, values)


def post(url: str, body: object, *, proxy: str | None = None, **headers: str) -> bytes:
    handler = urllib.request.ProxyHandler({} if proxy is None else {"http": proxy})
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.build_opener(handler).open(request, timeout=20) as reply:
        read: bytes = reply.read()
        return read


def test_a_request_is_written_down_as_it_came(recorder: Recorder) -> None:
    body = {"model": "tiny", "stream": True}

    said = post(f"{recorder.base}//v1/chat/completions?x=1", body, Authorization="Bearer sk-made")

    request = recorder.wait(asks_a_model, 5)
    assert request is not None
    assert (request.method, request.target) == ("POST", "//v1/chat/completions?x=1")
    assert request.header("authorization") == "Bearer sk-made"
    assert request.json == body
    assert not request.through_proxy
    assert said.endswith(b"data: [DONE]\n\n")


def test_the_proxy_knows_what_came_through_it(recorder: Recorder) -> None:
    post("http://gateway.invalid/v1/messages", {"model": "tiny"}, proxy=recorder.proxy)

    [request] = recorder.requests
    assert request.through_proxy
    assert request.url == "http://gateway.invalid/v1/messages"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [True, False])
def test_each_protocol_is_answered(path: str, stream: bool) -> None:
    status, kind, body = answer(path.partition("?")[0], {"model": "tiny", "stream": stream})

    assert status == 200
    assert b"ok" in body
    assert kind == ("text/event-stream" if stream else "application/json")


def prediction(recorder: Recorder, **more: object) -> Prediction:
    usual: dict[str, object] = {
        "url": f"{recorder.base}/v1/messages",
        "refusal": None,
        "auth": {"authorization": Secret("Bearer sk-made-up")},
        "headers": {"x-team": Secret("a")},
        "model": "tiny",
        "max_tokens": 16,
        "proxy": None,
    }
    return Prediction(**{**usual, **more})  # type: ignore[arg-type]


def recorded(recorder: Recorder, **more: object) -> Recorded:
    headers = (("host", f"127.0.0.1:{recorder.port}"), ("authorization", "Bearer sk-made-up"))
    body = json.dumps({"model": "tiny", "max_tokens": 16}).encode()
    usual: dict[str, object] = {
        "method": "POST",
        "target": "/v1/messages",
        "headers": (*headers, ("x-team", "a")),
        "body": body,
        "through_proxy": False,
        "host": f"127.0.0.1:{recorder.port}",
    }
    return Recorded(**{**usual, **more})  # type: ignore[arg-type]


def test_what_agrees_gives_no_line(recorder: Recorder, tmp_path: Path) -> None:
    found = mismatches(
        Case("x"), scene(recorder, tmp_path), prediction(recorder), recorded(recorder)
    )

    assert list(found) == []


@pytest.mark.parametrize(
    ("predicted", "sent", "word"),
    [
        ({"url": "http://127.0.0.1:{port}/v1/v1/messages"}, {}, "url"),
        ({"auth": {}}, {}, "authorization: predicted none"),
        ({"auth": {"authorization": None, "x-api-key": None}}, {}, "x-api-key: predicted one"),
        ({"headers": {"x-team": Secret("b")}}, {}, "header x-team"),
        ({"model": "other"}, {}, "model"),
        ({"max_tokens": None}, {}, "max_tokens"),
        ({}, {"through_proxy": True}, "way"),
        ({"url": None, "refusal": "no"}, {}, "predicted that nothing arrives (no)"),
        ({"proxy": "http://127.0.0.1:9"}, {}, "predicted that nothing arrives"),
    ],
)
def test_each_difference_is_a_line(
    predicted: dict[str, object],
    sent: dict[str, object],
    word: str,
    recorder: Recorder,
    tmp_path: Path,
) -> None:
    here = scene(recorder, tmp_path)
    filled = {k: here.fill(v) if isinstance(v, str) else v for k, v in predicted.items()}

    found = list(
        mismatches(Case("x"), here, prediction(recorder, **filled), recorded(recorder, **sent))
    )

    assert len(found) == 1
    assert word in found[0]


def test_a_request_that_never_came_is_a_line(recorder: Recorder, tmp_path: Path) -> None:
    [line] = mismatches(Case("x"), scene(recorder, tmp_path), prediction(recorder), None)

    assert line.endswith("but nothing was sent")


@pytest.mark.parametrize("name", client_names())
def test_the_pins_of_a_client_are_exact(name: str) -> None:
    pins = versions(name)

    assert pins
    assert all(re.fullmatch(r"\S+ \d[\w.+-]*", pin) for pin in pins), pins


def test_files_are_written_with_their_places_filled_in(recorder: Recorder, tmp_path: Path) -> None:
    here = scene(recorder, tmp_path)

    here.write({"~/a.json": {"base": "{base}/v1"}, "./b/c.toml": "x = '{port}'"})

    assert json.loads((tmp_path / "a.json").read_text()) == {"base": f"{recorder.base}/v1"}
    assert (tmp_path / "b" / "c.toml").read_text() == f"x = '{recorder.port}'"
