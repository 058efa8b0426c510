"""Which Python environments the program may run in, told by their folders."""

from __future__ import annotations

from pathlib import Path

from doctor.facts.machine import Environment
from doctor.probes.python_homes import homes_of


def install(root: Path, *distributions: str, windows: bool = False) -> None:
    site = root / ("Lib/site-packages" if windows else "lib/python3.12/site-packages")
    for name in distributions:
        (site / f"{name}.dist-info").mkdir(parents=True)


def seen(tmp_path: Path, **variables: str) -> Environment:
    return Environment(
        variables=variables,
        platform="win32",
        home=str(tmp_path / "home"),
        cwd=str(tmp_path / "app"),
    )


def test_the_activated_environment_comes_before_the_folders_own(tmp_path: Path) -> None:
    install(tmp_path / "active", "openai-3.57.0", "socksio-1.0.0")
    install(tmp_path / "app/.venv", "openai-1.99.0", "PySocks-1.7.1")
    found = homes_of(seen(tmp_path, VIRTUAL_ENV=str(tmp_path / "active")))
    assert [home.packages for home in found] == [
        {"openai": "3.57.0", "socksio": "1.0.0"},
        {"openai": "1.99.0", "pysocks": "1.7.1"},
    ]


def test_windows_and_user_environments_are_found(tmp_path: Path) -> None:
    install(tmp_path / "app/venv", "langchain_openai-1.7.4", windows=True)
    install(tmp_path / "home/.local", "requests-2.34.2")
    found = homes_of(seen(tmp_path))
    assert [home.packages for home in found] == [
        {"langchain-openai": "1.7.4"},
        {"requests": "2.34.2"},
    ]
    assert found[1].path == "~/.local"


def test_environments_without_any_http_library_say_nothing(tmp_path: Path) -> None:
    install(tmp_path / "app/.venv", "numpy-2.1.0")
    assert homes_of(seen(tmp_path, VIRTUAL_ENV=str(tmp_path / "gone"))) == ()


def test_nothing_is_opened_or_executed(tmp_path: Path) -> None:
    install(tmp_path / "app/.venv", "openai-3.57.0")
    marker = tmp_path / "executed"
    site = tmp_path / "app/.venv/lib/python3.12/site-packages"
    (site / "sitecustomize.py").write_text(f"open({str(marker)!r}, 'w')")
    (site / "evil.pth").write_text(f"import pathlib; pathlib.Path({str(marker)!r}).touch()")
    assert homes_of(seen(tmp_path))[0].packages == {"openai": "3.57.0"}
    assert not marker.exists()
