"""A variable of a start-up file that the process has not got."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.clients.setting_does_not_reach_program import setting_does_not_reach_program
from doctor.connection import (
    Connection,
    Origin,
    OriginKind,
    Protocol,
)
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import CheckResult, Status
from tests.kit import KEY, connection, environment, run_check

OTHER_KEY = KEY[:-4] + "xxxx"


def reached(
    home: Path, text: str, target: Connection, settings: Settings | None = None, **variables: str
) -> CheckResult:
    (home / ".bashrc").write_text(text)
    env = environment({"SHELL": "/bin/bash", **variables}, home=str(home), cwd=str(home))
    return run_check(setting_does_not_reach_program, target, env=env, settings=settings)


def test_a_variable_of_the_start_up_file_that_the_process_lacks(tmp_path: Path) -> None:
    result = reached(tmp_path, f"export OPENAI_API_KEY={KEY}\n", connection(key=None))

    (finding,) = result.findings
    assert "~/.bashrc:1" in finding.title
    assert finding.changes[0].value.reveal() == KEY
    assert KEY not in str(finding)


def test_the_variable_that_a_setting_names_counts(tmp_path: Path) -> None:
    sighting = Sighting(
        Role.KEY_VARIABLE,
        "env_key",
        "RELAY_KEY",
        Origin(OriginKind.FILE, "env_key", "~/.codex/config.toml", 3),
        in_effect_for=("target",),
    )
    target = connection(key=None, client="codex", protocol=Protocol.OPENAI_RESPONSES)

    (finding,) = reached(
        tmp_path, f"RELAY_KEY={KEY}\n", target, Settings(sightings=(sighting,))
    ).findings

    assert "without export" in finding.title


@pytest.mark.parametrize(
    "text",
    [
        "export OPENAI_API_KEY=$(pass show key)\n",
        f"f() {{ export OPENAI_API_KEY={KEY}; }}\n",
        f'if [ -n "$WORK" ]; then export OPENAI_API_KEY={KEY}; fi\n',
        f"# export OPENAI_API_KEY={KEY}\n",
        "export OPENAI_API_KEY=\n",
        "",
    ],
)
def test_what_is_not_sure_is_not_told(tmp_path: Path, text: str) -> None:
    assert reached(tmp_path, text, connection(key=None)).status is Status.PASS


def test_where_a_key_was_found_no_file_is_looked_at(tmp_path: Path) -> None:
    result = reached(tmp_path, f"export OPENAI_API_KEY={OTHER_KEY}\n", connection())

    assert result.status is Status.SKIPPED
