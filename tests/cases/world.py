"""The temporary home and working folder of a case, and the clean environment around it."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .case import Case
from .proxied import system_proxies

_ROOT = Path(__file__).parents[2]
_GUARD = Path(__file__).parent / "guard"
_CONTAINER_MARKS = frozenset({"/.dockerenv", "/run/.containerenv"})
# Where the author's home is on the author's machine; here "~" is the case's own.
_HOMES = frozenset({"HOME", "USERPROFILE"})
_COMPOSE = re.compile(r"/(?:docker-)?compose\.ya?ml$")
_WINDOWS = re.compile(r"[A-Za-z]:\\")


@dataclass(frozen=True, slots=True)
class World:
    """``left_out`` are files outside of all that, which no case may write."""

    home: Path
    cwd: Path
    env: dict[str, str]
    notes: Path
    left_out: tuple[str, ...]

    @property
    def contacts(self) -> tuple[str, ...]:
        """What the program tried to reach beyond loopback."""
        if not self.notes.exists():
            return ()
        return tuple(dict.fromkeys(self.notes.read_text("utf-8").splitlines()))


@contextlib.contextmanager
def world_of(case: Case, env: dict[str, str]) -> Iterator[World]:
    """Home and working folder with the files of ``case``, gone when the context ends."""
    with tempfile.TemporaryDirectory(prefix="case-") as folder:
        home = Path(folder, "home")
        cwd = _working_folder(case, home)
        cwd.mkdir(parents=True)
        root = Path(folder, "root")
        left_out = tuple(
            name for name, text in case.files.items() if not _written(name, text, home, cwd, root)
        )
        notes = Path(folder, "contacts")
        marked = {"container": "docker"} if _CONTAINER_MARKS & set(case.files) else {}
        if any(map(_of_system, case.files)):
            marked |= {"CASES_ROOT": str(root), "CASES_PLATFORM": _platform(case)}
        system = system_proxies(case)
        if system:
            marked |= {"CASES_PROXIES": json.dumps(system), "CASES_PLATFORM": "darwin"}
        told = {name: value for name, value in env.items() if name not in _HOMES}
        yield World(home, cwd, {**_around(home, notes), **marked, **told}, notes, left_out)


def _working_folder(case: Case, home: Path) -> Path:
    """Compose takes the file of the folder that it is started in, unless its line names another."""
    if not re.match(r"docker[ -]compose ", " ".join(case.argv)) or {"-f", "--file"} & set(
        case.argv
    ):
        return home / "work"
    folders = {PurePosixPath(name).parent for name in case.files if _COMPOSE.search(name)}
    parts = folders.pop().parts if len(folders) == 1 else ()
    return home.joinpath(*parts[1:]) if parts[:1] == ("~",) else home / "work"


def _around(home: Path, notes: Path) -> dict[str, str]:
    """What a process needs to start, and nothing of this one's own environment."""
    return {
        "HOME": str(home),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": f"{_GUARD}:{_ROOT}",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "KVDOCTOR_PLUGINS": "0",
        "CASES_GUARD": str(notes),
    }


def _of_system(name: str) -> bool:
    return name.startswith("/") or _WINDOWS.match(name) is not None


def _platform(case: Case) -> str:
    """The system that the report's files belong to."""
    if any(_WINDOWS.match(name) for name in case.files):
        return "win32"
    return "darwin" if any(name.startswith("/Library/") for name in case.files) else "linux"


def _written(name: str, text: str, home: Path, cwd: Path, root: Path) -> bool:
    path = PurePosixPath(name)
    if ".." in path.parts:
        return False
    if _of_system(name):
        place = Path(f"{root}{name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8"))
        return True
    place = home.joinpath(*path.parts[1:]) if path.parts[:1] == ("~",) else cwd / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8"))
    return True
