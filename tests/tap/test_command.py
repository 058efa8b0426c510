"""``kvdoctor tap``, as its user runs it, on loopback servers."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor import cli, exitcodes
from doctor.commands.tap import execute, tap
from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Handler, Request, Response
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts.machine import Environment
from doctor.prefix.prompts import Reader
from doctor.secrets import Redactor
from tests.kit import environment
from tests.live.servers import refusing_port

pytestmark = pytest.mark.timeout(60)

Capture = pytest.CaptureFixture[str]
Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "doctor" / "schemas" / "tap-1.json").read_text("utf-8"))
KEY = "sk-made0up0canary0made0up0canary0made0up0"

# A program as small as can be: it asks as often as it is told, and prints the last status.
PROGRAM = """
import http.client, json, os, sys, urllib.parse
base = urllib.parse.urlsplit(os.environ["OPENAI_BASE_URL"])
talk = http.client.HTTPConnection(base.hostname, base.port)
turns, status = [{"role": "system", "content": "You are of help. " * 20}], None
for number in range(int(sys.argv[1])):
    turns.append({"role": "user", "content": f"question {number}"})
    body = {"model": os.environ.get("MODEL", "tiny"), "messages": turns, "stream": True}
    body |= json.loads(os.environ.get("MORE", "{}"))
    fields = {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    try:
        talk.request("POST", base.path + "/chat/completions", json.dumps(body), fields)
        answer = talk.getresponse()
        status = answer.status
        answer.read()
    except (http.client.HTTPException, OSError) as error:
        status = type(error).__name__
        talk.close()
print("status", status)
sys.exit(int(os.environ.get("EXIT", "0")))
"""


def engine() -> Vllm:
    return Vllm(VllmConfig(api_keys=(KEY,)))


def machine(folder: Path, base: str, key: str = KEY, **more: str) -> Environment:
    variables = {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": key, "PATH": os.environ["PATH"], **more}
    return environment(variables, home=str(folder), cwd=str(folder))


async def run(here: Environment, *arguments: str, asks: int = 1) -> int:
    command = (sys.executable, "-c", PROGRAM, str(asks))
    options = cli.build_parser("tap").parse_args(["tap", *arguments, "--", *command])
    return await tap(options, here, Redactor())


async def told(
    capture: Capture, here: Environment, *arguments: str, asks: int = 1
) -> tuple[int, Json, str]:
    """Exit code, document and stderr."""
    code = await run(here, "--format", "json", *arguments, asks=asks)
    out, err = capture.readouterr()
    document: Json = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    return code, document, err


def codes(document: Json) -> list[str]:
    return [finding["code"] for finding in document["findings"]]


async def test_a_healthy_program_has_no_findings(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        code, document, err = await told(capfd, here, asks=3)

    assert code == exitcodes.OK
    assert document["findings"] == document["differences"] == document["notes"] == []
    assert document["exit_code"] == 0
    assert err == "status 200\n"
    assert [one["request"]["url"] for one in document["requests"]] == [
        f"{server.origin}/v1/chat/completions"
    ] * 3
    assert all(one["ms"]["first_token"] is not None for one in document["requests"])
    assert document["prompts"]["requests"] == 3
    assert server.connections == 1


async def test_the_record_is_one_that_prefix_reads(tmp_path: Path, capfd: Capture) -> None:
    record = tmp_path / "record.jsonl"
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        await told(capfd, here, "--record", str(record), "--record-prompts", asks=2)

    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    prompts = [Reader().prompt(line) for line in lines]
    assert [prompt.turns[-1] for prompt in prompts] == ["user\nquestion 0", "user\nquestion 1"]
    assert record.stat().st_mode & 0o077 == 0


async def test_half_a_character_in_a_prompt_is_kept_as_it_was(
    tmp_path: Path, capfd: Capture
) -> None:
    record = tmp_path / "record.jsonl"
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1", MORE='{"user": "\\ud83d"}')
        _code, document, _err = await told(capfd, here, "--record", str(record), "--record-prompts")

    (line,) = record.read_bytes().splitlines()
    assert json.loads(line)["request"]["body"]["user"] == "\ud83d"
    assert document["notes"] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
async def test_a_full_disk_ends_the_record_and_nothing_else(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        _code, document, _err = await told(capfd, here, "--record", "/dev/full", asks=2)

    assert document["figures"]["requests"] == 2
    assert document["notes"] == ["--record: No space left on device"]


async def test_without_being_asked_no_prompt_is_kept(tmp_path: Path, capfd: Capture) -> None:
    record = tmp_path / "record.jsonl"
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        _code, document, _err = await told(capfd, here, "--record", str(record))

    assert "question 0" not in record.read_text("utf-8") + json.dumps(document)


def texts_in(folder: Path) -> list[str]:
    return [path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()]


async def test_a_key_is_in_no_file_and_no_output(tmp_path: Path, capfd: Capture) -> None:
    async def echo(request: Request) -> Response:
        body = {"error": {"message": f"bad key {KEY}, {request.header('authorization')}"}}
        return Response(401, json.dumps(body).encode(), (("x-echo", KEY),))

    more = {"MORE": json.dumps({"user": f"my key is {KEY}"})}
    async with LoopbackServer(echo) as server:
        here = machine(tmp_path, f"{server.origin}/v1?key={KEY}", **more)
        outputs: list[str] = []
        for options in (("--format", "json"), ("--out", f"json={tmp_path / 'told.json'}")):
            record = ("--record", str(tmp_path / "record.jsonl"), "--record-prompts")
            await run(here, *options, *record)
            outputs += capfd.readouterr()

    files = texts_in(tmp_path)
    assert len(files) == 2
    # The program prints nothing of it, so whatever there is comes from the tap.
    for text in (*outputs, *files):
        assert KEY not in text
        assert KEY[8:-8] not in text
    assert "sk-…" in files[0]


async def test_the_exit_code_is_the_programs(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1", EXIT="7")
        code = await run(here)

    out, err = capfd.readouterr()
    assert code == 7
    assert out == "status 200\n"
    assert "Nothing is wrong" in err


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"OPENAI_API_KEY": "sk-made0up0another0made0up0another0"}, "KVD111"),
        ({"OPENAI_API_KEY": f"Bearer {KEY}"}, "KVD105"),
        ({"MODEL": "no-such-model"}, "KVD501"),
        ({"MORE": '{"max_tokens": 99999}'}, "KVD601"),
        ({"base": "/v1/v1"}, "KVD203"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
async def test_what_was_sent_is_judged(
    change: dict[str, str], expected: str, tmp_path: Path, capfd: Capture
) -> None:
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, server.origin + change.pop("base", "/v1"))
        here.variables.update(change)
        code, document, _err = await told(capfd, here)
        assert expected in codes(document), document["findings"]
        never, _document, _err = await told(capfd, here, "--fail-on", "never")

    assert code == exitcodes.FINDINGS
    assert never == document["exit_code"] == 0


async def test_what_a_retry_mends_is_told_and_no_fault(tmp_path: Path, capfd: Capture) -> None:
    whole, answered = engine(), 0

    async def busy_once(request: Request) -> Answer:
        nonlocal answered
        answered += 1
        if answered == 1:
            return Response(503, b'{"error": {"message": "overloaded"}}')
        return await whole(request)

    program = PROGRAM.replace('f"question {number}"', '"the same"').replace(
        "turns.append", "turns[1:] = []; turns.append"
    )
    command = (sys.executable, "-c", program, "2")
    async with LoopbackServer(busy_once) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        line = ["tap", "--format", "json", "--", *command]
        code = await tap(cli.build_parser("tap").parse_args(line), here, Redactor())

    document = json.loads(capfd.readouterr().out)
    assert code == exitcodes.OK
    assert [one["retry_of"] for one in document["requests"]] == [None, 1]
    assert document["figures"]["repeated"] == 1
    assert document["findings"] == []


async def test_a_server_that_is_not_there(tmp_path: Path, capfd: Capture) -> None:
    with refusing_port() as port:
        here = machine(tmp_path, f"http://127.0.0.1:{port}/v1")
        code, document, err = await told(capfd, here)

    assert code == exitcodes.FINDINGS
    assert "KVD311" in codes(document)
    (one,) = document["requests"]
    assert one["end"] == "unreached"
    assert one["request"]["model"] == "tiny"
    assert "status 200" not in err


async def test_a_base_that_leads_nowhere_is_told(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(engine()):
        here = machine(tmp_path, "gateway.example/v1")
        here.variables["ANTHROPIC_BASE_URL"] = ""
        code = await run(here)

    assert code == exitcodes.NOTHING
    assert "gateway.example/v1" in capfd.readouterr().err


async def test_a_program_that_asks_nobody(tmp_path: Path, capfd: Capture) -> None:
    here = machine(tmp_path, "http://127.0.0.1:9/v1")
    code = await run(here, asks=0)

    assert code == exitcodes.OK
    assert "No request came through" in capfd.readouterr().err


async def test_a_key_with_which_the_library_sends_nothing(tmp_path: Path, capfd: Capture) -> None:
    here = machine(tmp_path, "http://127.0.0.1:9/v1", f"{KEY}\n", OPENAI_MODEL="tiny")
    code, document, _err = await told(capfd, here, asks=0)

    assert code == exitcodes.FINDINGS
    assert codes(document) == ["KVD102"]
    assert document["requests"] == []


async def test_where_nothing_came_and_something_is_wrong_the_address_is_not_blamed_first(
    tmp_path: Path, capfd: Capture
) -> None:
    here = machine(tmp_path, "http://127.0.0.1:9/v1", f"{KEY}\n", OPENAI_MODEL="tiny")
    await run(here, asks=0)

    err = capfd.readouterr().err
    assert err.index("What follows may be why") < err.index("KVD102")


async def test_what_was_expected_and_not_sent_is_told(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1", OPENAI_MODEL="another")
        _code, document, _err = await told(capfd, here)

    assert document["differences"] == [
        {"place": "openai-base-url", "what": "model", "predicted": "another", "sent": "tiny"}
    ]


def hostile(kind: str) -> Handler:
    evil = b'\x1b]0;owned\x07\x1b[31m{"error": {"message": "\\u001b[2J::error::x <script>"}}\r\n'
    answers: dict[str, Callable[[], Response]] = {
        "escapes": lambda: Response(400, evil, (("x-evil", "\x1b[31mred"),)),
        "bomb": lambda: Response(
            200, gzip.compress(bytes(50_000_000)), (("content-encoding", "gzip"),)
        ),
        "damaged": lambda: Response(200, b"\x1f\x8bnot gzip", (("content-encoding", "gzip"),)),
        "deep": lambda: Response(200, b"[" * 100_000, (("content-type", "application/json"),)),
        "status": lambda: Response(999, b"?"),
        "charset": lambda: Response(200, b"\xff\xfe", (("content-type", "text/x; charset=no"),)),
        "brotli": lambda: Response(200, b"\x8b\x00\x80", (("content-encoding", "br"),)),
    }

    async def handle(request: Request) -> Response:
        return answers[kind]()

    return handle


@pytest.mark.parametrize(
    "kind", ["escapes", "bomb", "damaged", "deep", "status", "charset", "brotli"]
)
async def test_whatever_a_server_answers_is_harmless(
    kind: str, tmp_path: Path, capfd: Capture
) -> None:
    async with LoopbackServer(hostile(kind)) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        code, document, _err = await told(capfd, here)
        await run(here)

    shown = capfd.readouterr().err
    assert code in (exitcodes.OK, exitcodes.FINDINGS)
    assert document["figures"]["requests"] == 1
    assert document["notes"] == []
    assert "\x1b" not in shown
    assert "\x07" not in shown


def usage(*arguments: str) -> int:
    return execute(cli.build_parser("tap").parse_args(["tap", *arguments]))


def test_what_makes_no_sense_is_said(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.chdir(tmp_path)

    assert usage("--record-prompts") == exitcodes.USAGE
    assert usage("--record", str(tmp_path / "no" / "where"), "--", "true") == exitcodes.USAGE
    assert usage("--", str(tmp_path / "no-such-program")) == exitcodes.USAGE
    assert usage("--tui", "--", "true") == exitcodes.USAGE
    assert usage("--", "cline", "hi") == exitcodes.USAGE
    told = capfd.readouterr().err
    assert "--record FILE" in told
    assert "no-such-program: No such file or directory" in told
    assert "cline takes its address from its own files alone" in told
    assert "Traceback" not in told


async def test_without_a_command_it_waits_for_requests(tmp_path: Path) -> None:
    async with LoopbackServer(engine()) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        variables = {**here.variables, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "doctor", "tap", "--format", "json"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=variables,
            cwd=tmp_path,
        )
        assert process.stderr is not None
        try:
            lines: list[str] = []
            while not lines or "Ctrl-C" not in lines[-1]:
                lines.append((await process.stderr.readline()).decode())
            (led,) = [line for line in lines if "export OPENAI_BASE_URL=" in line]
            base = led.strip().partition("=")[2].strip("'\"")
            variables["OPENAI_BASE_URL"] = base
            program = await asyncio.create_subprocess_exec(
                sys.executable, "-c", PROGRAM, "1", env=variables, cwd=tmp_path
            )
            assert await program.wait() == 0
            shown = (await process.stderr.readline()).decode()
            process.send_signal(signal.SIGINT)
            out, _err = await process.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    assert base.startswith("http://127.0.0.1:")
    assert base.endswith("/v1")
    assert " 200  POST /v1/chat/completions  tiny  first token " in shown
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert document["exit_code"] is None
    assert document["figures"]["requests"] == 1
    assert process.returncode == exitcodes.OK


async def test_a_signal_is_the_commands(tmp_path: Path) -> None:
    script = "import os, signal; print('up', flush=True); signal.pause()"
    here = machine(tmp_path, "http://127.0.0.1:9/v1")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "doctor", "tap", "--", sys.executable, "-c", script),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**here.variables, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGTERM)
    _out, err = await process.communicate()

    assert process.returncode == 128 + signal.SIGTERM
    assert b"No request came through" in err
