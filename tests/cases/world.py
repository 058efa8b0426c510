"""The temporary home and working folder of a case, and the clean environment around it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .case import Case

_ROOT = Path(__file__).parents[2]
_GUARD = Path(__file__).parent / "guard"
_CONTAINER_MARKS = frozenset({"/.dockerenv", "/run/.containerenv"})


@dataclass(frozen=True, slots=True)
class World:
    """``left_out`` are files of the system itself, which no case may write."""

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
        cwd = home / "work"
        cwd.mkdir(parents=True)
        left_out = tuple(
            name for name, text in case.files.items() if not _written(name, text, home, cwd)
        )
        notes = Path(folder, "contacts")
        marked = {"container": "docker"} if _CONTAINER_MARKS & set(left_out) else {}
        left_out = tuple(name for name in left_out if name not in _CONTAINER_MARKS)
        yield World(home, cwd, {**_around(home, notes), **marked, **env}, notes, left_out)


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


def _written(name: str, text: str, home: Path, cwd: Path) -> bool:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return False
    place = home.joinpath(*path.parts[1:]) if path.parts[:1] == ("~",) else cwd / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8"))
    return True
