"""What the tap found, in the formats of documents and of build servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor import cli, exitcodes
from doctor.commands.tap import execute
from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Request, Response
from tests.e2e.outputs import SHEETS, leaked
from tests.live.servers import refusing_port
from tests.render.test_html import OWN, Page
from tests.render.test_junit import assert_valid, failed, suite
from tests.render.test_markdown import kinds
from tests.render.test_sarif import run_of

from .test_command import KEY, Capture, engine, machine, run

pytestmark = pytest.mark.timeout(60)

FORMATS = ("json", "plain", "rich", *SHEETS)
HOSTILE = "<img src=x onerror=alert(1)>![a](http://evil.example)\n::error::made up\x1b[31m"


def outs(folder: Path) -> list[str]:
    return [f"--out={name}={folder / name}" for name in FORMATS]


def written(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text("utf-8") for name in FORMATS}


async def refuses(request: Request) -> Answer:
    told = f"Incorrect API key provided: {request.header('authorization')} {HOSTILE}"
    body = {"error": {"message": told, "code": "invalid_api_key", "type": "invalid_request_error"}}
    return Response(401, json.dumps(body).encode(), (("content-type", "application/json"),))


async def test_a_finding_is_in_every_format(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(refuses) as server:
        here = machine(tmp_path, f"{server.origin}/v1")
        code = await run(here, *outs(tmp_path))
    told = written(tmp_path)
    _out, plain = capfd.readouterr()
    cases = suite(told["junit"])

    assert code == exitcodes.FINDINGS
    assert told["plain"] == told["rich"]
    assert told["plain"] in plain
    assert_valid(cases)
    assert "KVD111" in failed(cases)
    assert "KVD111" in {result["ruleId"] for result in run_of(told["sarif"])["results"]}
    assert "title=KVD111 " in told["github"]
    assert "KVD111" in told["markdown"]
    assert "POST /v1/chat/completions" in told["markdown"]
    page = Page(told["html"])
    assert "KVD111" in page.shown


async def test_whatever_a_server_says_is_text_in_every_format(
    tmp_path: Path, capfd: Capture
) -> None:
    async with LoopbackServer(refuses) as server:
        await run(machine(tmp_path, f"{server.origin}/v1"), *outs(tmp_path))
    told = written(tmp_path)
    capfd.readouterr()

    assert not kinds(told["markdown"]) & {"link_open", "image", "html_block", "html_inline"}
    page = Page(told["html"])
    assert page.tags <= OWN
    assert not page.wrong
    assert not [line for line in told["github"].splitlines() if line.startswith("::error::made")]
    assert "\x1b" not in "".join(told.values())


async def test_a_key_is_in_no_format(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(refuses) as server:
        here = machine(tmp_path, f"{server.origin}/v1?key={KEY}", MORE=json.dumps({"user": KEY}))
        await run(here, *outs(tmp_path))
    out, err = capfd.readouterr()
    told = written(tmp_path)

    assert leaked({**told, "stdout": out, "stderr": err}, [KEY]) == []
    assert all("sk-…" in told[name] for name in ("json", "plain", "markdown", "html", "junit"))


async def test_a_healthy_program_has_a_healthy_document(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(engine()) as server:
        code = await run(machine(tmp_path, f"{server.origin}/v1"), *outs(tmp_path), asks=2)
    told = written(tmp_path)
    capfd.readouterr()
    cases = suite(told["junit"])

    assert code == exitcodes.OK
    assert_valid(cases)
    assert failed(cases) == set()
    assert len(cases.findall(".//testcase")) == len({c.get("name") for c in cases.iter("testcase")})
    assert run_of(told["sarif"])["results"] == []
    assert "::error" not in told["github"]
    assert "Nothing is wrong with what was sent and answered." in told["markdown"]


async def test_what_no_check_knows_is_not_called_well(tmp_path: Path, capfd: Capture) -> None:
    async def teapot(request: Request) -> Answer:
        return Response(418, b"short and stout", (("content-type", "text/plain"),))

    async with LoopbackServer(teapot) as server:
        await run(machine(tmp_path, f"{server.origin}/v1"), f"--out=html={tmp_path / 'html'}")
    capfd.readouterr()
    shown = Page((tmp_path / "html").read_text("utf-8")).shown

    assert "✗" in shown
    assert "Nothing is wrong" not in shown


@pytest.mark.parametrize("name", SHEETS)
async def test_stdout_is_the_document_alone(name: str, tmp_path: Path, capfd: Capture) -> None:
    with refusing_port() as port:
        here = machine(tmp_path, f"http://127.0.0.1:{port}/v1")
        file = tmp_path / "file"
        code = await run(here, "--format", name, f"--out={name}={file}")
    out, err = capfd.readouterr()

    assert code == exitcodes.FINDINGS
    assert "KVD311" in out
    # What the command itself prints makes way.
    assert "status" in err
    assert "status RemoteDisconnected" not in out
    assert len(out.splitlines()) == len(file.read_text("utf-8").splitlines())


def test_an_unknown_format_is_told(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.chdir(tmp_path)
    arguments = ["tap", f"--out=pdf={tmp_path / 'x'}", "--", "true"]

    assert execute(cli.build_parser("tap").parse_args(arguments)) == exitcodes.USAGE
    assert "FORMAT one of plain, rich, json, junit" in capfd.readouterr().err


async def test_what_programs_read_is_english(tmp_path: Path, capfd: Capture) -> None:
    async with LoopbackServer(refuses) as server:
        await run(machine(tmp_path, f"{server.origin}/v1"), "--lang", "zh_CN", *outs(tmp_path))
    told = written(tmp_path)
    capfd.readouterr()

    assert "Requests: 1 (1 to a model)" in told["junit"]
    assert "Requests: 1" not in told["plain"]
    assert "Requests: 1" not in told["markdown"]
