from __future__ import annotations

import sys
from pathlib import Path

import pytest

from doctor.facts.machine import Environment
from doctor.settings.environment import in_container, over_ssh, this_environment
from doctor.settings.places import Places


def test_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "made-up")
    monkeypatch.chdir(tmp_path)
    found = this_environment()
    assert found.variables["OPENAI_MODEL"] == "made-up"
    assert Path(found.cwd) == tmp_path.resolve()
    assert found.platform == sys.platform
    assert (found.system_proxies is None) == (sys.platform not in ("darwin", "win32"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".dockerenv", ""),
        ("run/.containerenv", ""),
        ("proc/1/cgroup", "12:memory:/docker/0123456789abcdef\n"),
        ("proc/1/cgroup", "0::/kubepods.slice/pod1\n0::/kubepods/x\n"),
    ],
)
def test_marks_of_a_container(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert in_container({}, tmp_path)


def test_no_container(tmp_path: Path) -> None:
    (tmp_path / "proc/1").mkdir(parents=True)
    (tmp_path / "proc/1/cgroup").write_text("0::/init.scope\n")
    assert not in_container({"PATH": "/bin"}, tmp_path)
    assert in_container({"container": "podman"}, tmp_path)
    assert in_container({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path)


def test_ssh() -> None:
    assert over_ssh({"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"})
    assert not over_ssh({"SSH_AUTH_SOCK": "/tmp/agent"})


def places(platform: str, home: str, cwd: str, project: str | None = None) -> Places:
    return Places.of(Environment({}, platform, home, cwd), project)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/me/app/.env", ".env"),
        ("/home/me/app/conf/a.toml", "conf/a.toml"),
        ("/home/me/.zshrc", "~/.zshrc"),
        ("/etc/profile", "/etc/profile"),
        ("/home/me/app/\x1b[31m.env", "<U+001B>[31m.env"),
    ],
)
def test_paths_are_shown_as_people_know_them(path: str, shown: str) -> None:
    assert places("linux", "/home/me", "/home/me/app").shown(path) == shown


def test_paths_on_windows() -> None:
    here = places("win32", "C:\\Users\\me", "C:\\Users\\me\\app")
    assert here.shown("C:\\Users\\me\\app\\.env") == ".env"
    assert here.shown("c:\\users\\ME\\app\\conf\\a.toml") == "conf\\a.toml"
    assert here.shown("C:\\Users\\me\\.codex\\config.toml") == "~\\.codex\\config.toml"
    assert here.shown("D:\\keys\\a.txt") == "D:\\keys\\a.txt"
    assert here.in_project("C:\\Users\\me\\app\\.env")
    assert not here.in_project("C:\\Users\\me\\.env")


def test_what_belongs_to_the_project(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    cwd = root / "sub"
    cwd.mkdir(parents=True)
    here = places("linux", str(tmp_path), str(cwd), str(root))
    assert here.in_project(str(root / "kvdoctor.toml"))
    assert not here.in_project(str(tmp_path / "kvdoctor.toml"))
    (root / "link").symlink_to(tmp_path / "secret")
    assert not here.in_project(str(root / "link"))


def test_a_home_folder_is_no_project(tmp_path: Path) -> None:
    assert not places("linux", str(tmp_path), str(tmp_path)).in_project(str(tmp_path / ".env"))
