"""``kvdoctor watch``, as its user runs it, on a loopback engine."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor import cli, exitcodes
from doctor.commands.watch import watch
from doctor.connection import Connection
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import ENGINE as ENGINE_KEY
from doctor.demo.messages import Answer, Handler, Request, Response
from doctor.demo.newapi import NewApi
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts.machine import Environment
from doctor.secrets import Redactor
from doctor.target import Target
from doctor.watching import watchable
from tests.kit import connection, environment

Capture = pytest.CaptureFixture[str]

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "doctor" / "schemas" / "watch-1.json").read_text("utf-8"))
RUNNING = "vllm:num_requests_running"
WAITING = "vllm:num_requests_waiting"
USAGE = "vllm:kv_cache_usage_perc"
FULL = {RUNNING: 24.0, WAITING: 6.0, USAGE: 0.97}


def engine(metrics: dict[str, float] | None = None, **growth: float) -> Vllm:
    """``growth`` is that of counters, without prefix and ``_total``."""
    named = {f"vllm:{name}_total": amount for name, amount in growth.items()}
    config = VllmConfig(api_keys=(ENGINE_KEY,), metrics=metrics or {}, growth=named)
    return Vllm(config)


def machine(folder: Path, base: str, key: str = ENGINE_KEY) -> Environment:
    variables = {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": key, "OPENAI_MODEL": "tiny"}
    return environment(variables, home=str(folder), cwd=str(folder))


@contextlib.asynccontextmanager
async def watching(
    handler: Handler, folder: Path, *arguments: str
) -> AsyncIterator[tuple[int, LoopbackServer]]:
    """The exit code of ``kvdoctor watch ARGUMENTS`` with an engine in the environment."""
    async with LoopbackServer(handler) as server:
        options = cli.build_parser("watch").parse_args(["watch", "--interval", "0.01", *arguments])
        here = machine(folder, f"{server.origin}/v1")
        yield await watch(options, here, Redactor()), server


async def test_a_line_for_every_sample(tmp_path: Path, capsys: Capture) -> None:
    handler = engine({RUNNING: 3.0, USAGE: 0.42}, generation_tokens=500)
    async with watching(handler, tmp_path, "--count", "3", "--plain") as (code, server):
        head, first, *rest = capsys.readouterr().out.splitlines()

        assert code == exitcodes.OK
        assert head.split()[:3] == ["KV", "run", "wait"]
        # The first look has no rates yet.
        assert first.split()[1:5] == ["42%", "3", "0", "–"]
        assert [line.split()[1:4] for line in rest] == [["42%", "3", "0"]] * 2
        assert all(line.split()[-1] != "–" for line in rest)
        # Nothing but the metrics was asked for, and without the key.
        assert {request.path for request in server.requests} == {"/metrics"}
        assert {request.header("authorization") for request in server.requests} == {None}


async def test_what_is_too_much_is_said_and_ends_with_1(tmp_path: Path, capsys: Capture) -> None:
    handler = engine(FULL, num_preemptions=2)
    async with watching(handler, tmp_path, "--count", "3", "--plain") as (code, _server):
        lines = capsys.readouterr().out.splitlines()

        assert code == exitcodes.FINDINGS
        assert lines[1].endswith("KV full; 6 waiting")
        assert lines[2].endswith("KV full; 6 waiting; 2 preempted")


async def test_a_moment_of_fullness_is_no_finding(tmp_path: Path) -> None:
    async with watching(engine(FULL), tmp_path, "--count", "1", "--plain") as (code, _server):
        assert code == exitcodes.OK


class Swinging:
    """Full at every ``every``-th look, else half empty: a preemption frees a request's blocks."""

    def __init__(self, every: int) -> None:
        self._full, self._half = engine(FULL), engine({RUNNING: 24.0, USAGE: 0.6})
        self._every = every
        self._looks = 0

    async def __call__(self, request: Request) -> Answer:
        self._looks += 1
        turn = self._full if self._looks % self._every == 1 else self._half
        return await turn(request)


@pytest.mark.parametrize(
    ("every", "ends"),
    [(2, exitcodes.FINDINGS), (4, exitcodes.FINDINGS), (5, exitcodes.OK)],
)
async def test_fullness_that_comes_and_goes(tmp_path: Path, every: int, ends: int) -> None:
    async with watching(Swinging(every), tmp_path, "--count", "8", "--plain") as (code, _server):
        assert code == ends


async def test_the_samples_as_one_document(tmp_path: Path, capsys: Capture) -> None:
    handler = engine({USAGE: 0.5}, prefix_cache_queries=100, prefix_cache_hits=40)
    async with watching(handler, tmp_path, "--count", "2", "--format", "json"):
        document = json.loads(capsys.readouterr().out)

        jsonschema.validate(document, SCHEMA)
        first, second = document["samples"]
        assert (first["seconds"], first["hit_rate"]) == (None, None)
        assert (second["kv_usage"], second["hit_rate"]) == (0.5, 0.4)


async def test_the_samples_line_by_line(tmp_path: Path, capsys: Capture) -> None:
    async with watching(engine(), tmp_path, "--count", "2", "--format", "jsonl"):
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

        assert [line["running"] for line in lines] == [0, 0]


class Flaky:
    """Every second look fails."""

    def __init__(self) -> None:
        self._engine = engine()
        self._looks = 0

    async def __call__(self, request: Request) -> Answer:
        self._looks += 1
        if self._looks % 2 == 0:
            return Response(503, b"", (("content-type", "text/plain"),))
        return await self._engine(request)


async def test_a_look_that_fails_is_a_line_of_its_own(tmp_path: Path, capsys: Capture) -> None:
    async with watching(Flaky(), tmp_path, "--count", "3", "--format", "json"):
        document = json.loads(capsys.readouterr().out)

        jsonschema.validate(document, SCHEMA)
        assert "answers 503" in document["samples"][1]["reason"]
        assert document["samples"][2]["running"] == 0


async def test_what_is_no_engine_is_told_once(tmp_path: Path, capsys: Capture) -> None:
    async with watching(NewApi(), tmp_path, "--count", "3", "--plain") as (code, _server):
        said = capsys.readouterr()

        assert code == exitcodes.NOTHING
        assert said.out == ""
        assert "/metrics" in said.err


def test_a_document_needs_an_end(capsys: Capture) -> None:
    code = cli.main(["watch", "http://127.0.0.1:9/v1", "--format", "json"])

    assert code == exitcodes.USAGE
    assert "--count" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--count", "0"], ["--interval", "0"], ["--interval", "soon"]])
def test_numbers_that_make_no_sense(wrong: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["watch", *wrong])

    assert ended.value.code == exitcodes.USAGE


# ------------------------------------------------------------------ whom to look at


def target(name: str, base: str, **more: Any) -> Target:
    return Target(name, name, more.pop("kind", "gateway"), connection(base), **more)


def own() -> Connection:
    return connection("http://10.0.0.5:8000/v1")


def test_a_hosted_gateway_is_not_asked_for_metrics() -> None:
    assert watchable([target("hosted", "https://gateway.example/v1")]) == ()


def test_the_likeliest_engine_is_looked_at_first() -> None:
    known = [
        target("local", "http://127.0.0.1:4000/v1"),
        target("engine", "http://10.0.0.5:8000/v1", kind="engine"),
        target("named", "https://vllm.example/v1", named=True),
        target("shop", "https://gateway.example/v1", engine=own()),
    ]
    assert [each.id for each in watchable(known)] == ["shop", "named", "engine", "local"]
