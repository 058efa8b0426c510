"""Folders that may not be entered, and names that no system takes: told, never a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from doctor.clients.catalogue import CLIENTS
from tests.e2e.machine import Machine
from tests.settings.machine import Machine as Home

# The superuser may enter everything; without these two capabilities it is like anybody else.
_AS_ANYBODY = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capget(header, data) == 0
data[0] &= ~0b110
assert libc.capset(header, data) == 0
from doctor import cli
sys.exit(cli.main(sys.argv[1:]))
"""
# The settings of the others lie where no file can be read.
_EXAMINABLE = sorted(set(CLIENTS) - {"roo-code", "dify", "cherry-studio", "next-chat"})
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    work = home / "work"
    work.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", _AS_ANYBODY, *arguments],
        cwd=work,
        env={"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def shut(tmp_path: Path) -> Any:
    """Shuts a folder of home until the test is over."""
    folders: list[Path] = []

    def close(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        folder.chmod(0)
        folders.append(folder)
        return tmp_path

    yield close
    for folder in folders:
        folder.chmod(0o700)


@linux_only
@pytest.mark.parametrize(
    ("folder", "client"),
    [
        (".claude", "claude-code"),
        (".codex", "codex"),
        (".gemini", "gemini-cli"),
        (".qwen", "qwen-code"),
        (".continue", "continue"),
        (".claude-code-router", "claude-code-router"),
    ],
)
def test_a_shut_folder_is_told_once(folder: str, client: str, shut: Any) -> None:
    home = shut(folder)
    ran = run(home, "check", "--offline")
    assert ran.returncode == 3, ran.stderr
    told = [line for line in ran.stderr.splitlines() if "cannot be read" in line]
    assert told == [
        f"~/{folder} cannot be read (Permission denied): kvdoctor check {client} says more"
    ]


@linux_only
@pytest.mark.parametrize("folder", [".config", ".cline", ".codex", ".claude", ".continue"])
def test_no_client_stumbles_over_one(folder: str, shut: Any) -> None:
    home = shut(folder)
    found = run(home, "check", *_EXAMINABLE, "--offline", "--format", "json")
    assert found.returncode in (0, 1), found.stderr
    assert not [c for c in json.loads(found.stdout)["checks"] if c["status"] == "crashed"]


@pytest.mark.parametrize(
    ("variable", "client"),
    [
        ("CODEX_HOME", "codex"),
        ("CLAUDE_CONFIG_DIR", "claude-code"),
        ("CONTINUE_GLOBAL_DIR", "continue"),
        ("CLINE_DIR", "cline"),
        ("CLINE_PROVIDER_SETTINGS_PATH", "cline"),
        ("DATA_DIR", "open-webui"),
        ("XDG_CONFIG_HOME", "opencode"),
        ("OPENCODE_CONFIG", "opencode"),
    ],
)
def test_a_name_that_no_system_takes(
    variable: str, client: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(tmp_path, capsys, {variable: "/" + "x" * 5_000})
    assert machine.run("check", "--offline").code == 3
    assert machine.run("check", client, "--offline").code in (0, 1)


def test_an_env_file_that_cannot_be_read_is_told_where_nothing_else_is_there(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path)
    home.write(".env", b"OPENAI_API_KEY=sk-made-up-0000000000000000\n# caf\xe9\n")
    notes = home.discover().notes
    assert [str(note) for note in notes if ".env:2" in note] == [
        ".env:2 cannot be read (python-dotenv: bytes that are not UTF-8)"
    ]
