"""``kvdoctor launch`` as its user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
KEY = "sk-made0up0made0up0made0up0made0up0made0up0"
SCRIPT = """#!/bin/bash
# the engine
vllm serve Qwen/Qwen3-8B \\
  --host 127.0.0.1 \\
  --swap-space 8 \\
  --port 8000
"""


def kvdoctor(
    *arguments: str, stdin: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "doctor", "launch", *arguments],
        input=stdin, capture_output=True, text=True, cwd=cwd, env=variables, check=False,
    )  # fmt: skip


def document(*arguments: str, stdin: str = "") -> dict[str, Any]:
    done = kvdoctor("--format", "json", *arguments, stdin=stdin)
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def test_a_wrong_line_exits_1_and_prints_the_right_one() -> None:
    done = kvdoctor("--vllm-version", "0.32.0", "--", "vllm", "serve", "m", "--swap-space", "8")

    assert done.returncode == 1
    assert "KVD901  --swap-space is gone since vLLM 0.18.0  (error)" in done.stdout
    assert done.stdout.endswith("Corrected:\n\nvllm serve m\n")


def test_a_right_line_exits_0_and_says_so() -> None:
    done = kvdoctor("--vllm-version", "0.32.0", "--", "vllm", "serve", "m", "--host", "127.0.0.1")

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "the line: judged for vLLM 0.32.0 (--vllm-version).",
        "vLLM takes it. Nothing to report.",
    ]


def test_a_file_is_answered_by_a_diff(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT)

    done = kvdoctor("run.sh", "--vllm-version", "0.32.0", cwd=tmp_path)

    assert done.returncode == 1
    assert "--- run.sh\n+++ run.sh\n@@" in done.stdout
    assert "\n-  --swap-space 8 \\\n" in done.stdout
    assert "run.sh:5" in done.stdout
    assert (tmp_path / "run.sh").read_text() == SCRIPT


def test_compose_and_stdin(tmp_path: Path) -> None:
    text = "services:\n  a:\n    image: vllm/vllm-openai:v0.20.0\n"
    text += "    command: --model m --swap-space 1\n"
    (tmp_path / "c.yaml").write_text(text)

    assert kvdoctor("--compose", str(tmp_path / "c.yaml")).returncode == 1
    assert kvdoctor("-", stdin=text).returncode == 1
    assert kvdoctor(stdin=text.replace("v0.20.0", "v0.9.1")).returncode == 0
    assert kvdoctor("vllm serve m --swap-space 8").returncode == 1


def test_a_running_process() -> None:
    program = "import time; time.sleep(60)"
    line = ["-m", "vllm.entrypoints.openai.api_server", "--model", "m", "--swap-space", "8"]
    with subprocess.Popen([sys.executable, "-c", program, *line]) as process:
        try:
            done = kvdoctor("--pid", str(process.pid), "--vllm-version", "0.32.0")
        finally:
            process.kill()

    assert done.returncode == 1
    assert "KVD901" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--", "ls", "-la"), 3, "no command that starts vLLM"),
        (("--vllm-version", "new", "--", "vllm", "serve", "m"), 2, "0.32.0"),
        (("nothing-of-this-name",), 2, "no such file"),
        (("--pid", "999999999"), 3, "there is none"),
        (("--gpu", "abacus", "--", "vllm", "serve", "m"), 2, "T4"),
        (("--select", "KVD9O1", "--", "vllm", "serve", "m"), 2, "KVD9O1"),
        (("--model-config", "/nowhere", "--", "vllm", "serve", "m"), 2, "/nowhere"),
        (("--compose", "a", "--pid", "1"), 2, "one of"),
        (("--out", "pdf=x", "--", "vllm", "serve", "m"), 2, "FORMAT"),
    ],
)
def test_what_cannot_be_examined(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = kvdoctor(*arguments)

    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_severity_and_selection_decide_the_exit_code() -> None:
    line = ("--vllm-version", "0.32.0", "--", "vllm", "serve", "m", "--host", "0.0.0.0")

    assert kvdoctor(*line).returncode == 0
    assert kvdoctor("--fail-on", "warning", *line).returncode == 1
    assert kvdoctor("--fail-on", "warning", "--ignore", "KVD914", *line).returncode == 0
    assert kvdoctor("--fail-on", "info", "--select", "KVD901", *line).returncode == 0


def test_the_document_keeps_its_schema() -> None:
    schema = json.loads((ROOT / "doctor" / "schemas" / "launch-1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    several = "vllm serve m --swap-space 8\nvllm serve n --dtype fp16\n"

    for text in (several, "vllm serve m", SCRIPT, 'services:\n  a:\n    command: "vllm serve"\n'):
        made = document("-", "--vllm-version", "0.32.0", stdin=text)
        jsonschema.validate(made, schema, cls=jsonschema.Draft202012Validator)


def test_the_document_holds_what_is_promised() -> None:
    made = document("--vllm-version", "0.32.0", "--", "vllm", "serve", "m", "--swap-space", "8")

    assert made["schema"] == "kvdoctor.launch/1"
    assert made["vllm_version"]["version"] == "0.32.0"
    assert made["line"]["argv"] == ["vllm", "serve", "m", "--swap-space", "8"]
    assert made["corrected"]["argv"] == ["vllm", "serve", "m"]
    assert made["corrected"]["text"] == "vllm serve m"
    (change,) = made["changes"]
    assert (change["flag"], change["from"], change["to"], change["code"]) == (
        "--swap-space",
        "--swap-space 8",
        "",
        "KVD901",
    )
    assert made["findings"][0]["fixes"][0]["preview"] == "- --swap-space 8"
    assert made["accepted"] is False


@pytest.mark.parametrize("format_", ["plain", "json"])
@pytest.mark.parametrize(
    "line",
    [
        f"vllm serve m --api-key {KEY} --swap-space 8 --host 0.0.0.0",
        f"vllm serve m --api-key={KEY} --swap-space 8",
        f"VLLM_API_KEY={KEY} vllm serve m --swap-space 8",
        f"docker run -e HF_TOKEN={KEY} vllm/vllm-openai:v0.32.0 --model m --hf-token {KEY} --a 1",
        f"vllm serve m --api-key short-one {KEY} --swap-space 8",
    ],
)
def test_no_output_shows_a_key(line: str, format_: str) -> None:
    done = kvdoctor("-", "--format", format_, stdin=line)

    assert done.returncode == 1
    assert KEY not in done.stdout + done.stderr
    assert KEY[10:] not in done.stdout
    assert "short-one" not in done.stdout


def test_text_of_others_does_not_steer_a_terminal() -> None:
    done = kvdoctor("-", stdin="vllm serve m --swap-space \x1b[31m8\x07 --\x9b\u202ex\n")

    assert not set(done.stdout) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_a_file_beside_stdout(tmp_path: Path) -> None:
    path = tmp_path / "out.json"

    kvdoctor("--out", f"json={path}", "--", "vllm", "serve", "m")

    assert json.loads(path.read_text())["schema"] == "kvdoctor.launch/1"
