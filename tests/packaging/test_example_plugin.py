"""The example plugin, put where an installation would put it, passes its own tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "plugin"
ROOT = EXAMPLE.parents[2]


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment of a Python that has the plugin, its entry points those it declares."""
    site = tmp_path / "site"
    shutil.copytree(EXAMPLE / "src", site)
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        )
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KVDOCTOR")}
    return kept | {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}


def test_its_own_tests_pass(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir"]
    done = subprocess.run(
        [*command, str(EXAMPLE), str(EXAMPLE / "tests")],
        env=installed,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


def test_list_and_rule_know_it(installed: dict[str, str], tmp_path: Path) -> None:
    def told(*words: str) -> str:
        command = [sys.executable, "-m", "doctor", *words]
        done = subprocess.run(command, env=installed, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert told("list", "--select", "acme").startswith("ACME001  gateway-not-approved")
    assert "Only approved gateways have a contract" in told("rule", "ACME001")
