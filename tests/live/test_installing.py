"""The wheel and the sdist, installed in fresh environments from a folder of wheels alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "docs" / "examples" / "plugin"
# What could lead pip to anything but the folder.
ALONE = {
    name: value
    for name, value in os.environ.items()
    if not name.upper().startswith(("PIP_", "PYTHON"))
}


def _run(*command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], env=env, cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _binary(environment: Path, name: str) -> Path:
    return environment / ("Scripts" if sys.platform == "win32" else "bin") / name


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kvdoctor, its locked dependencies, the plugin, and what builds them from sources."""
    folder = tmp_path_factory.mktemp("wheels")
    pip = [sys.executable, "-m", "pip"]
    _run(*pip, "wheel", "-q", "--no-deps", "-w", folder, ROOT)
    _run(*pip, "wheel", "-q", "--no-deps", "-w", folder, PLUGIN)
    locked = ("--only-binary", ":all:", "-r", ROOT / "requirements.lock")
    _run(*pip, "download", "-q", "-d", folder, *locked)
    _run(*pip, "download", "-q", "-d", folder, "hatchling>=1.27")
    return folder


def _installed(place: Path, wheels: Path, *what: str | Path) -> Path:
    _run(sys.executable, "-m", "venv", place)
    pip = _binary(place, "pip")
    offline = ALONE | {"PIP_CONFIG_FILE": os.devnull}
    _run(pip, "install", "-q", "--no-index", "--find-links", wheels, *what, env=offline)
    return place


def test_a_wheel_installs_and_works(wheels: Path, tmp_path: Path) -> None:
    place = _installed(tmp_path / "environment", wheels, "kvdoctor", "acme-kvdoctor")
    program = _binary(place, "kvdoctor")

    told = _run(program, "demo", "--plain", "--no-color", env=ALONE, cwd=tmp_path)
    assert "KVD102" in told
    assert "ACME001" in _run(program, "list", env=ALONE, cwd=tmp_path)
    for made in (
        "share/man/man1/kvdoctor.1",
        "share/bash-completion/completions/kvdoctor",
        "share/zsh/site-functions/_kvdoctor",
        "share/fish/vendor_completions.d/kvdoctor.fish",
    ):
        assert "kvdoctor" in (place / made).read_text("utf-8")


def test_an_sdist_builds_and_works(wheels: Path, tmp_path: Path) -> None:
    builder = _installed(tmp_path / "builder", wheels, "hatchling")
    _run(_binary(builder, "hatchling"), "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT, env=ALONE)
    (sdist,) = tmp_path.glob("kvdoctor-*.tar.gz")

    place = _installed(tmp_path / "environment", wheels, sdist)

    assert _run(_binary(place, "kvdoctor"), "--version", env=ALONE).startswith("kvdoctor ")
    assert (place / "share/man/man1/kvdoctor.1").is_file()
