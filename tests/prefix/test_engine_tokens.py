"""``kvdoctor prefix FILE --engine URL``: tokens as a running engine makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doctor.demo import tokens
from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Request, Response
from doctor.demo.vllm import Vllm, VllmConfig
from tests.program import Finished, kvdoctor, variables_of

from .engine import KEY
from .requests import chat


async def run(folder: Path, url: str, *arguments: str) -> Finished:
    records = [chat("Be brief and exact.", f"question {n}") for n in range(6)]
    (folder / "log.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    words = ("prefix", "log.jsonl", "--format", "json", "--engine", url, *arguments)
    return await kvdoctor(*words, cwd=folder, env=variables_of(folder, OPENAI_API_KEY=KEY))


@pytest.mark.parametrize("path", ["", "/v1", "/"])
async def test_the_engines_own_tokens_count_and_no_key_is_sent(tmp_path: Path, path: str) -> None:
    engine = Vllm(VllmConfig(api_keys=("sk-made-up-for-the-engine",)))
    async with LoopbackServer(engine) as server:
        done = await run(tmp_path, server.origin + path)
        requests = server.requests
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    expected = sum(
        len(tokens.encode_chat(["Be brief and exact.", f"question {n}"])) for n in range(6)
    )
    assert (found["exact"], found["prompt_tokens"]) == (True, expected)
    assert {request.path for request in requests} == {"/tokenize"}
    assert {request.header("authorization") for request in requests} == {None}


async def test_an_engine_that_does_not_tell_ends_it(tmp_path: Path) -> None:
    async def other(_request: Request) -> Answer:
        return Response(404, b"<html>", (("content-type", "text/html"),))

    async with LoopbackServer(other) as server:
        done = await run(tmp_path, server.origin)
    assert (done.code, "/tokenize answers 404" in done.err) == (2, True)


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "http://127.0.0.1:1", "http://[::1"])
async def test_no_engine_there(tmp_path: Path, url: str) -> None:
    done = await run(tmp_path, url)
    assert done.code == 2
    assert "Traceback" not in done.err
