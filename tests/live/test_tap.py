"""Real clients through ``kvdoctor tap``: they notice nothing, and what the tap tells is what they
sent."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.live.conformance import (
    test_aider,
    test_claude_code,
    test_codex,
    test_gemini_cli,
    test_node_sdks,
    test_opencode,
    test_python_sdks,
    test_qwen_code,
)
from tests.live.conformance.case import Case, Program
from tests.live.conformance.lab import Lab, command, laboratory
from tests.live.conformance.recorder import Recorded, Recorder, asks_a_model, recording
from tests.live.servers import RunningServer

ROOT = Path(__file__).parents[2]
PATIENCE_S = 90
KEY = "sk-made-up-000000000000000000000000"
Told = dict[str, Any]


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as recorder:
        yield recorder


@pytest.fixture
def lab(recorder: Recorder, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(tmp_path, recorder) as lab:
        yield lab


def tapped(lab: Lab, program: Program, case: Case, *options: str) -> tuple[Told, list[Told]]:
    """Run a client through the tap until it ends; the tap's document and its record."""
    scene = lab.scene(case)
    lab.recorder.clear()
    record = lab.folder / "record.jsonl"
    before = files_in(scene.home)
    line = [sys.executable, "-m", "doctor", "tap", "--record", str(record), "--record-prompts"]
    line += [*options, "--format", "json", "--", *command(program), *map(scene.fill, case.argv)]
    environment = {**lab.environment(program, case, scene), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=scene.cwd,
        env=environment,
        start_new_session=True,
    )
    try:
        out, errors = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGTERM)
        out, errors = process.communicate(timeout=20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert out, errors.decode("utf-8", "replace")[-3000:]
    for name, content in before.items():
        assert KEY.encode() in content or KEY.encode() not in Path(name).read_bytes()
    told = json.loads(out)
    told["printed"] = errors.decode("utf-8", "replace")
    return told, [json.loads(line) for line in record.read_text("utf-8").splitlines()]


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def same(sent: Recorded, told: Mapping[str, Any]) -> bool:
    """Whether the record is of that very request: target, fields and their order, and the body."""
    request = told["request"]
    fields = [name.lower() for name, _value in request["headers"]]
    return (
        request["method"] == sent.method
        and request["url"].endswith(sent.target)
        and fields == [name for name, _value in sent.headers]
        and request["bytes"] == len(sent.body)
    )


CLAUDE = test_claude_code.PROGRAM
CODEX, EXEC = test_codex.PROGRAM, test_codex.EXEC
OPENCODE, QWEN, GEMINI = test_opencode.PROGRAM, test_qwen_code.PROGRAM, test_gemini_cli.PROGRAM
AIDER = test_aider.PROGRAM
PYTHON, NODE = test_python_sdks.OPENAI.program, test_node_sdks.OPENAI.program
PYTHON_ANTHROPIC = test_python_sdks.ANTHROPIC.program
NODE_ANTHROPIC = test_node_sdks.ANTHROPIC.program

OPENAI = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "{base}/api/v1"}
ANTHROPIC = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "{base}/api"}
CLAUDE_ENV = {"ANTHROPIC_AUTH_TOKEN": KEY, "ANTHROPIC_BASE_URL": "{base}/api"}
SETTINGS = {"~/.claude/settings.json": {"env": {**CLAUDE_ENV, "ANTHROPIC_MODEL": "tiny"}}}
PROVIDER = test_codex.provider(f'experimental_bearer_token = "{KEY}"')
CODEX_OPENAI = 'model = "qwen3-8b"\nopenai_base_url = "{base}/o/v1"\n'
LOGIN = {"auth_mode": "apikey", "OPENAI_API_KEY": KEY}
QWEN_ENV = {**OPENAI, "OPENAI_MODEL": "tiny"}
GEMINI_ENV = {**test_gemini_cli.SHELL, "GEMINI_API_KEY": KEY}
AIDER_FILE = f"OPENAI_API_KEY={KEY}\nOPENAI_API_BASE={{base}}/file/v1\n"
AIDER_MODEL = {"AIDER_MODEL": "openai/tiny"}

CASES = [
    (PYTHON, Case("python", variables=OPENAI)),
    (PYTHON, Case("python-proxy", variables={**OPENAI, "HTTP_PROXY": "{proxy}"})),
    (PYTHON_ANTHROPIC, Case("python-anthropic", variables=ANTHROPIC)),
    (NODE, Case("node", variables=OPENAI)),
    (NODE_ANTHROPIC, Case("node-anthropic", variables=ANTHROPIC)),
    (CLAUDE, Case("claude-settings", SETTINGS, argv=("-p", "hi"))),
    (
        CLAUDE,
        Case(
            "claude-proxy",
            variables={**CLAUDE_ENV, "ANTHROPIC_MODEL": "tiny", "HTTP_PROXY": "{proxy}"},
            argv=("-p", "hi"),
        ),
    ),
    (CODEX, Case("codex", {"~/.codex/config.toml": PROVIDER}, argv=EXEC)),
    (
        CODEX,
        Case(
            "codex-openai",
            {"~/.codex/config.toml": CODEX_OPENAI, "~/.codex/auth.json": LOGIN},
            argv=EXEC,
        ),
    ),
    (
        OPENCODE,
        Case("opencode", {test_opencode.USER: test_opencode.settings(KEY)}, argv=("run", "hi")),
    ),
    (QWEN, Case("qwen", variables=QWEN_ENV)),
    (QWEN, Case("qwen-settings", test_qwen_code.settings(env=QWEN_ENV))),
    (GEMINI, Case("gemini", test_gemini_cli.SETTINGS, GEMINI_ENV)),
    (AIDER, Case("aider", {**test_aider.PRICES, "./.env": AIDER_FILE}, AIDER_MODEL)),
]


@pytest.mark.parametrize(("program", "case"), CASES, ids=[str(case) for _, case in CASES])
def test_what_the_tap_tells_is_what_the_client_sent(program: Program, case: Case, lab: Lab) -> None:
    told, records = tapped(lab, program, case)
    sent = [request for request in lab.recorder.requests if asks_a_model(request)]

    asked = [record for record in records if record["request"]["protocol"]]
    assert sent, told["printed"][-3000:]
    assert len(asked) == len(sent)
    unmatched = [request for request in sent if not any(same(request, one) for one in asked)]
    assert not unmatched, (unmatched, asked)
    assert {record["response"]["status"] for record in asked} == {200}
    assert {record["end"] for record in asked} == {"complete"}
    assert all(
        request.json == one["request"].get("body") for request, one in zip(sent, asked, strict=True)
    )
    assert told["exit_code"] == 0, told["printed"][-3000:]
    assert told["findings"] == []
    assert told["differences"] == []
    assert all(request.through_proxy == ("proxy" in case.name) for request in sent)
    assert KEY not in json.dumps([told, records])


TURNS = """
from openai import OpenAI
client = OpenAI(max_retries=0)
turns = [{"role": "system", "content": "You answer with a word. " * 40}]
for number in range(3):
    turns.append({"role": "user", "content": f"question {number}"})
    asked = client.chat.completions.create(
        model="tiny", messages=turns, max_tokens=8, stream=True,
        stream_options={"include_usage": True})
    said = "".join(c.choices[0].delta.content or "" for c in asked if c.choices)
    turns.append({"role": "assistant", "content": said})
print("said", said)
"""


def test_several_turns_with_a_real_engine(lab: Lab, vllm_server: RunningServer) -> None:
    program = Program("openai-sdk", ("env/bin/python", "-c", TURNS), installed="python-sdks")
    base = {"OPENAI_BASE_URL": vllm_server.base_url, "OPENAI_MODEL": "tiny"}
    case = Case("turns", variables={**base, "OPENAI_API_KEY": vllm_server.api_key})
    told, records = tapped(lab, program, case)

    assert "said ok" in told["printed"]
    assert told["exit_code"] == 0
    assert told["findings"] == []
    assert told["differences"] == []
    assert [record["response"]["status"] for record in records] == [200] * 3
    assert all(record["ms"]["first_token"] for record in records)
    cached = [record["response"]["usage"]["cached_tokens"] for record in records]
    assert cached[0] in (0, None)
    assert cached[2] > 0
    assert told["prompts"]["reported_hit_rate"] > 0
    assert vllm_server.api_key not in json.dumps([told, records])


def test_what_is_wrong_with_a_real_engine_is_told(lab: Lab, vllm_server: RunningServer) -> None:
    base = {"OPENAI_BASE_URL": vllm_server.root_url, "OPENAI_API_KEY": vllm_server.api_key}
    told, _records = tapped(lab, PYTHON, Case("without-version", variables=base))
    assert "KVD201" in [finding["code"] for finding in told["findings"]]

    base = {"OPENAI_BASE_URL": vllm_server.base_url, "OPENAI_API_KEY": KEY}
    told, _records = tapped(lab, PYTHON, Case("another-key", variables=base))
    assert [finding["code"] for finding in told["findings"]] == ["KVD111"]


def test_what_keeps_claude_code_from_an_answer_is_told(
    lab: Lab, vllm_server: RunningServer
) -> None:
    """It offers tools, and this engine was started without a parser for them."""
    env = {"ANTHROPIC_BASE_URL": vllm_server.root_url, "ANTHROPIC_MODEL": "tiny"}
    settings = {"env": {**env, "ANTHROPIC_AUTH_TOKEN": vllm_server.api_key}}
    case = Case("tools", {"~/.claude/settings.json": settings}, argv=("-p", "hi"))
    told, records = tapped(lab, CLAUDE, case)

    assert {record["response"]["status"] for record in records} == {400}
    assert [finding["code"] for finding in told["findings"]] == ["KVD911"]
