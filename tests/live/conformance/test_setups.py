"""What ``kvdoctor fix CLIENT`` writes into an empty home makes the real program send the right
request: its path, the key that the variable holds, the model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from . import (
    test_aider,
    test_claude_code,
    test_cline,
    test_codex,
    test_gemini_cli,
    test_opencode,
    test_qwen_code,
)
from .case import Case, Program
from .lab import Lab
from .recorder import Recorded

KEY = "sk-made-up-key-0000000000000000"
MODEL = "tiny-model"
ROOT = Path(__file__).parents[3]
HELD = {"RELAY_KEY": KEY}
SETUPS = {
    "claude-code": (
        test_claude_code.PROGRAM,
        ("-p", "hi"),
        # settings.json takes no variable's name: this is the line that is left to the shell.
        {**HELD, "ANTHROPIC_AUTH_TOKEN": KEY},
        "/v1/messages",
    ),
    "codex": (test_codex.PROGRAM, test_codex.EXEC, HELD, "/v1/responses"),
    "opencode": (test_opencode.PROGRAM, ("run", "hi"), HELD, "/v1/chat/completions"),
    "cline": (
        test_cline.PROGRAM,
        test_cline.CASES[0].argv,
        {**HELD, "OPENAI_API_KEY": KEY},
        "/v1/chat/completions",
    ),
    "qwen-code": (test_qwen_code.PROGRAM, (), HELD, "/v1/chat/completions"),
    "aider": (test_aider.PROGRAM, (), {**HELD, "OPENAI_API_KEY": KEY}, "/v1/chat/completions"),
    "gemini-cli": (
        test_gemini_cli.PROGRAM,
        (),
        {**HELD, "GEMINI_API_KEY": KEY},
        f"/v1beta/models/{MODEL}:streamGenerateContent",
    ),
}


def _set_up(client: str, lab: Lab, home: Path, cwd: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "doctor", "fix", client, "--yes", "--offline"),
            *("--base-url", lab.recorder.base, "--model", MODEL, "--key-env", "RELAY_KEY"),
        ],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **HELD},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Written:" in done.stdout, done.stdout + done.stderr
    assert KEY not in done.stdout


@pytest.mark.parametrize("client", SETUPS)
def test_the_real_program_follows_the_block(client: str, lab: Lab) -> None:
    program, argv, variables, path = SETUPS[client]
    case = Case("set-up", variables=variables, argv=argv)
    scene = lab.scene(case)
    _set_up(client, lab, scene.home, scene.cwd)

    request = _sent(lab, program, case)

    assert request.path == path
    assert KEY in " ".join(value for _name, value in request.headers)
    assert MODEL in request.body.decode() + request.target


def _sent(lab: Lab, program: Program, case: Case) -> Recorded:
    outcome = lab.agree(program, case)
    assert outcome.request is not None, outcome.printed
    return outcome.request
