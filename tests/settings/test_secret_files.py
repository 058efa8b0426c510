from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from doctor.settings.secret_files import effective_mode, git_root, mode_of, tracked_by_git
from tests.settings.machine import KEY, Machine

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.example"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@needs_git
def test_what_git_would_publish(machine: Machine) -> None:
    git(machine.cwd, "init")
    machine.write(".env", f"OPENAI_API_KEY={KEY}\n")
    machine.write("sub/a b.json", f'{{"base_url": "https://h", "api_key": "{KEY}"}}')
    machine.write("own.env", "A=b\n")
    git(machine.cwd, "add", ".env", "sub")
    paths = [str(machine.cwd / name) for name in (".env", "sub/a b.json", "own.env")]
    assert list(tracked_by_git(paths).values()) == [True, True, False]
    settings = machine.discover().settings
    assert [(f.path, f.line, f.tracked_by_git) for f in settings.secret_files] == [
        (".env", 1, True)
    ]
    assert settings.env_files[0].tracked_by_git is True


def test_outside_of_git_nothing_is_tracked(tmp_path: Path) -> None:
    path = str(tmp_path / ".env")
    assert git_root(tmp_path) is None
    assert tracked_by_git([path]) == {path: False}


def test_without_git_it_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tracked_by_git([str(tmp_path / ".env")]) == {}


@needs_git
def test_nothing_of_the_repository_is_run(tmp_path: Path) -> None:
    git(tmp_path, "init")
    mark = tmp_path / "mark"
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(hook))
    (tmp_path / ".env").write_text("A=b\n")
    assert tracked_by_git([str(tmp_path / ".env")]) == {str(tmp_path / ".env"): False}
    assert not mark.exists()


OPEN, HOME = 0o755, 0o750


@pytest.mark.parametrize(
    ("mode", "folders", "other_people", "shared_group", "effective"),
    [
        (0o644, (OPEN, OPEN), True, True, 0o644),
        (0o644, (HOME, OPEN), True, False, 0o600),  # nobody else enters the home
        (0o644, (OPEN, OPEN), False, True, 0o640),  # there is nobody else
        (0o640, (OPEN, OPEN), True, False, 0o600),  # the group is its owner's alone
        (0o640, (HOME, OPEN), True, True, 0o640),
        (0o600, (OPEN,), True, True, 0o600),
    ],
)
def test_permission_bits_that_let_somebody_in(
    mode: int, folders: tuple[int, ...], other_people: bool, shared_group: bool, effective: int
) -> None:
    found = effective_mode(mode, folders, other_people=other_people, shared_group=shared_group)

    assert found == effective


@pytest.mark.skipif(os.name != "posix", reason="there are no permission bits here")
def test_the_owner_keeps_what_the_file_says(machine: Machine) -> None:
    path = machine.write(".env", f"OPENAI_API_KEY={KEY}\n")
    path.chmod(0o600)
    assert mode_of(path) == 0o600


@pytest.mark.parametrize(
    "line",
    [
        "OPENAI_API_KEY=\n",
        "OPENAI_API_KEY=sk-your-key-here\n",
        "OPENAI_API_KEY=EMPTY\n",
        "OPENAI_API_KEY=   # the key goes here\n",
        "DATABASE_URL=postgres://u:p@h/d\n",
    ],
)
def test_a_file_without_a_real_key_exposes_none(machine: Machine, line: str) -> None:
    assert machine.discover({".env": line}).settings.secret_files == ()
