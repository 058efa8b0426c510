"""The scenario for other engines of load: well-formed whatever the names, and without any key."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.bench.export import NotExported, Server, exported
from doctor.bench.scenario import Load, Scenario

from .engine import KEY, SlottedEngine
from .test_command import SMALL, bench

SERVER = Server("http://127.0.0.1:8000", "/v1/chat/completions", "shop-8b")
CLOSED = Scenario((Load(1), Load(8)), prompt_tokens=100, output_tokens=20, shared=0.4)


@given(st.text(max_size=20), st.text(max_size=20))
def test_names_of_others_are_data(model: str, path: str) -> None:
    server = Server("http://127.0.0.1:8000", path, model)
    written = ast.parse(exported("locust", CLOSED, server))
    constants = {node.value for node in ast.walk(written) if isinstance(node, ast.Constant)}
    assert {model, path} <= constants
    told = json.loads(exported("guidellm", CLOSED, server))
    assert told["spec"]["backend"]["model"] == model


def test_loads_and_lengths_are_those_of_the_scenario() -> None:
    told = json.loads(exported("guidellm", CLOSED, SERVER))
    assert told["benchmarks"] == [{"profile.streams": [1]}, {"profile.streams": [8]}]
    [data] = told["spec"]["data"]
    assert data["prompt_tokens"] + data["prefix_buckets"][0]["prefix_tokens"] == 100
    assert data["output_tokens"] == 20
    assert "STAGES = [(1, 60.0), (8, 60.0)]" in exported("locust", CLOSED, SERVER)


def test_an_open_loop() -> None:
    scenario = Scenario((Load(rate=2.5),))
    told = json.loads(exported("guidellm", scenario, SERVER))
    assert told["spec"]["profile"] == {"kind": "poisson", "rate": [2.5]}
    with pytest.raises(NotExported, match="--rate"):
        exported("locust", scenario, SERVER)


@pytest.mark.parametrize("engine", ["locust", "guidellm"])
async def test_nothing_is_sent_and_no_key_is_written(tmp_path: Path, engine: str) -> None:
    server = SlottedEngine()
    code, out, err = await bench(
        tmp_path, server, *SMALL, "--export", engine, "--model", "shop-8b", "--up-to", "4"
    )
    assert (code, server.asked) == (0, []), err
    assert KEY not in out
    assert "shop-8b" in out
    assert engine in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no model is configured"),
        (("--model", "m", "--protocol", "anthropic-messages"), "chat completions"),
        (("--model", "m", "--log", "x.jsonl"), "not with --log"),
    ],
)
async def test_what_has_no_like_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, out, err = await bench(tmp_path, SlottedEngine(), "--export", "locust", *arguments)
    assert (code, out) == (2, "")
    assert words in err
