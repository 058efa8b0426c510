"""What can be known of the container without building one."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = [line.split() for line in (ROOT / "Containerfile").read_text("utf-8").splitlines()]


def _copied() -> set[str]:
    """The paths of the checkout that the build gets."""
    copies = [words[1:-1] for words in LINES if words[:1] == ["COPY"]]
    return {path for paths in copies for path in paths if not paths[0].startswith("--from")}


def test_all_that_is_copied_exists() -> None:
    assert _copied()
    assert not [path for path in _copied() if not (ROOT / path).exists()]


def test_all_that_a_build_reads_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    read = {
        *wheel["packages"],
        wheel["hooks"]["custom"]["path"],
        project["project"]["readme"],
        *project["project"]["license-files"],
        "requirements.lock",
    }

    assert read <= _copied()


def test_it_does_not_run_as_root() -> None:
    users = [words[1] for words in LINES if words[:1] == ["USER"]]

    assert users
    assert users[-1] != "root"
