"""Real Claude Code in front of a real vLLM: kvdoctor names the fault before the client is run,
mends it where an edit can, and the client then gets its answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .conformance.case import Program
from .conformance.lab import command
from .servers import RunningServer, refusing_port, start_vllm

ROOT = Path(__file__).resolve().parents[2]
WINDOW = 65_536  # the prompts of Claude Code take 37,000 tokens of it
MODEL, KNOWN_MODEL = "tiny", "claude-opus-5-5"
TOOLS = ("--enable-auto-tool-choice", "--tool-call-parser", "hermes")
SETTINGS = ".claude/settings.json"
CLIENT = Program(
    "claude-code",
    ("node_modules/@anthropic-ai/claude-code-*/claude",),
    variables={
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    },
)
LOGIN = {
    "claudeAiOauth": {
        "accessToken": "sk-ant-oat01-made-up",
        "refreshToken": "sk-ant-ort01-made-up",
        "expiresAt": 9_999_999_999_000,
        "scopes": ["user:inference"],
    }
}


@dataclass
class Home:
    """A user's home, and the programs run there."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def write(self, path: str, content: dict[str, Any]) -> None:
        real = self.folder / path
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text(json.dumps(content, indent=2), encoding="utf-8")
        real.chmod(0o600)

    def settings(self, **env: str) -> None:
        self.write(SETTINGS, {"env": env})

    def check(self) -> tuple[int, dict[str, Any]]:
        """Exit code and report of ``kvdoctor check claude-code``."""
        done = self._kvdoctor("check", "--format", "json")
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, json.loads(done.stdout)

    def fix(self) -> None:
        done = self._kvdoctor("fix", "--yes")
        assert done.returncode == 0, done.stdout + done.stderr

    def ask(self) -> tuple[int, str]:
        """Exit code and answer of ``claude -p hi``."""
        done = subprocess.run(
            [*command(CLIENT), "-p", "hi"],
            env={**self._environment(), **CLIENT.variables},
            cwd=self.folder / "work",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )
        return done.returncode, done.stdout.strip()

    def _kvdoctor(self, verb: str, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "doctor", verb, "claude-code", *more, "--timeout", "60"],
            env={**self._environment(), "PYTHONPATH": str(ROOT)},
            cwd=self.folder / "work",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    def _environment(self) -> dict[str, str]:
        own = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8"}
        return {**own, **self.variables}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home" / "work").mkdir(parents=True)
    (tmp_path / "home").chmod(0o700)
    return Home(tmp_path / "home")


@pytest.fixture(scope="module")
def engine() -> Iterator[RunningServer]:
    """A vLLM that bears Claude Code: a large window, and a tool parser."""
    names = ("--served-model-name", MODEL, KNOWN_MODEL)
    extra = ("--max-num-batched-tokens", "8192", *TOOLS, *names)
    with start_vllm(max_model_len=WINDOW, extra=extra) as server:
        yield server


@dataclass(frozen=True)
class Fault:
    """``spoil`` writes the files of a user who has it; ``root`` is what must be found."""

    name: str
    root: str
    spoil: Callable[[Home, RunningServer, int], None]
    warns: frozenset[str] = frozenset()


def _api_key(home: Home, engine: RunningServer, dead: int) -> None:
    home.settings(
        ANTHROPIC_BASE_URL=engine.root_url,
        ANTHROPIC_API_KEY=engine.api_key,
        ANTHROPIC_MODEL=MODEL,
    )


def _login_and_key(home: Home, engine: RunningServer, dead: int) -> None:
    home.write(".claude/.credentials.json", LOGIN)
    _api_key(home, engine, dead)


def _right(engine: RunningServer, **more: str) -> dict[str, str]:
    usual = {"ANTHROPIC_BASE_URL": engine.root_url, "ANTHROPIC_AUTH_TOKEN": engine.api_key}
    return {**usual, "ANTHROPIC_MODEL": MODEL, **more}


def _with_v1(home: Home, engine: RunningServer, dead: int) -> None:
    home.settings(**_right(engine, ANTHROPIC_BASE_URL=engine.base_url))


def _default_budget(home: Home, engine: RunningServer, dead: int) -> None:
    home.settings(**_right(engine, ANTHROPIC_MODEL=KNOWN_MODEL))


def _own_budget(home: Home, engine: RunningServer, dead: int) -> None:
    home.settings(**_right(engine, CLAUDE_CODE_MAX_OUTPUT_TOKENS="100000"))


def _dead_proxy_of_settings(home: Home, engine: RunningServer, dead: int) -> None:
    home.settings(**_right(engine, HTTP_PROXY=f"http://127.0.0.1:{dead}"))


def _dead_proxy_of_shell(home: Home, engine: RunningServer, dead: int) -> None:
    home.variables["HTTPS_PROXY"] = f"http://127.0.0.1:{dead}"
    home.settings(**_right(engine))


def _wrong_case(home: Home, engine: RunningServer, dead: int) -> None:
    home.settings(**_right(engine, ANTHROPIC_MODEL=MODEL.upper()))


FAULTS = [
    Fault("api-key-instead-of-token", "KVD114", _api_key),
    Fault("login-and-api-key", "KVD114", _login_and_key, frozenset({"KVD402"})),
    Fault("base-with-v1", "KVD209", _with_v1),
    Fault("default-budget-over-window", "KVD604", _default_budget),
    Fault("own-budget-over-window", "KVD601", _own_budget),
    Fault("dead-proxy-of-settings", "KVD301", _dead_proxy_of_settings),
    Fault("dead-proxy-of-shell", "KVD301", _dead_proxy_of_shell),
    Fault("model-in-capitals", "KVD502", _wrong_case),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_named_mended_and_the_client_answers(
    fault: Fault, engine: RunningServer, home: Home
) -> None:
    with refusing_port() as dead:
        fault.spoil(home, engine, dead)

        code, report = home.check()
        failed, _said = home.ask()
        home.fix()
        after, answer = home.ask()

    assert (code, report["diagnosis"]["root_causes"]) == (1, [fault.root])
    assert report["diagnosis"]["proved"]
    found = {finding["code"] for finding in report["findings"]}
    assert fault.warns <= found
    assert engine.api_key not in json.dumps(report)
    assert failed != 0, "the client did not need the fix"
    assert (after, answer) == (0, "ok")


def test_nothing_is_found_where_the_client_answers(engine: RunningServer, home: Home) -> None:
    home.settings(**_right(engine))

    code, report = home.check()

    assert (code, report["findings"]) == (0, [])
    assert home.ask() == (0, "ok")


def test_a_second_name_of_the_same_weights_is_no_finding(engine: RunningServer, home: Home) -> None:
    more = {"ANTHROPIC_MODEL": KNOWN_MODEL, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "8192"}
    home.settings(**_right(engine, **more))

    assert home.check()[1]["findings"] == []


def test_a_missing_tool_parser_is_named_with_its_flags(
    vllm_server: RunningServer, engine: RunningServer, home: Home
) -> None:
    """The fix is the server's; ``engine`` is a server that has it."""
    budget = {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "1024"}
    home.settings(**_right(vllm_server, **budget))

    code, report = home.check()
    failed, said = home.ask()
    home.settings(**_right(engine, **budget))

    assert (code, report["diagnosis"]["root_causes"]) == (1, ["KVD911"])
    [finding] = report["findings"]
    assert "--enable-auto-tool-choice --tool-call-parser" in finding["explanation"]
    assert failed != 0
    assert "tool choice requires --enable-auto-tool-choice" in said
    assert home.check()[0] == 0
    assert home.ask() == (0, "ok")
