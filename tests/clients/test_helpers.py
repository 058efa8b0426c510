"""The command that prints a key: run where the user asked for it, bounded, and never told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from doctor.clients import helpers
from doctor.clients.machine import Machine
from doctor.connection import Origin, OriginKind, Shadowed
from doctor.facts.machine import Environment
from doctor.settings.found import Found
from doctor.settings.places import Places
from tests.kit import KEY

ORIGIN = Origin(OriginKind.FILE, "apiKeyHelper", "~/.claude/settings.json", 2)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the commands are a POSIX shell's")


def machine(folder: Path, *, helpers: bool = True, platform: str = sys.platform) -> Machine:
    environment = Environment(
        {"PATH": os.environ["PATH"], "PART": "made0up"}, platform, str(folder), str(folder)
    )
    return Machine.of(environment, Places.of(environment), helpers=helpers)


def key_of(command: str, on: Machine, origin: Origin = ORIGIN) -> tuple[str | None, Found]:
    found = Found()
    key = helpers.helper_key(Shadowed(command, origin), on, found, "claude-code")
    return None if key is None else key.value.reveal(), found


def test_what_it_prints_is_the_key_without_the_blanks_around_it(tmp_path: Path) -> None:
    key, found = key_of(f"echo; echo '  {KEY} '", machine(tmp_path))

    assert key == KEY
    assert found.problems == []


def test_it_runs_in_the_working_folder_with_the_clients_variables(tmp_path: Path) -> None:
    key, _found = key_of('pwd > where; printf sk-%s "$PART"', machine(tmp_path))

    assert key == "sk-made0up"
    assert (tmp_path / "where").read_text().strip() == str(tmp_path)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("exit 3", "exit code 3"),
        (f"echo {KEY}; exit 1", "exit code 1"),
        ("true", "prints no key"),
        ("head -c 99999 /dev/zero | tr '\\0' k", "prints no key"),
    ],
)
def test_a_failure_is_a_problem_that_does_not_tell_the_output(
    command: str, why: str, tmp_path: Path
) -> None:
    key, found = key_of(command, machine(tmp_path))

    assert key is None
    (problem,) = found.problems
    assert why in problem.message
    assert problem.client == "claude-code"
    assert KEY not in str(problem)


def test_one_that_does_not_end_is_ended_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helpers, "_LIMIT_S", 0.2)

    key, found = key_of("cat < /dev/tty || tail -f /dev/null; echo late", machine(tmp_path))

    assert key is None
    assert "no end within" in found.problems[0].message


def test_it_is_not_run_unasked_nor_for_another_machine(tmp_path: Path) -> None:
    for on in (machine(tmp_path, helpers=False), machine(tmp_path, platform="win32")):
        key, found = key_of("touch ran", on)

        assert key is None
        assert found.problems == []
    assert not (tmp_path / "ran").exists()


def test_a_project_file_brings_none_without_trust(tmp_path: Path) -> None:
    of_project = Origin(OriginKind.FILE, "apiKeyHelper", ".claude/settings.json", 1, project=True)

    key, _found = key_of("touch ran", machine(tmp_path), of_project)

    assert key is None
    assert not (tmp_path / "ran").exists()


def test_the_keychain_is_macs_alone(tmp_path: Path) -> None:
    assert helpers.in_keychain("Claude Code-credentials", machine(tmp_path)) is None
