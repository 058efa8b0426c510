"""SIGKILL at every moment of applying and of undoing: each file is old or new, and undo works."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from doctor.facts.settings import EnvReader
from doctor.fixes.apply import apply
from doctor.fixes.journal import Journal
from doctor.fixes.prepare import prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Format
from doctor.fixes.undo import undo
from doctor.secrets import Secret
from tests.fixes.strategies import KEY

OLD = f"OPENAI_API_KEY={KEY} \nLAST=1\n".encode()
NEW = f"OPENAI_API_KEY={KEY}\nLAST=1\n".encode()
NAMES = ("one.env", "two.env")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def step(path: Path) -> EditFile:
    return EditFile(
        path=str(path),
        shown=path.name,
        format=Format.ENV,
        at=("OPENAI_API_KEY",),
        line=1,
        old=Secret(f"{KEY} "),
        new=Secret(KEY),
        reader=EnvReader.DOCKER,
    )


def furnished(folder: Path) -> tuple[list[Path], Journal]:
    folder.mkdir()
    paths = [folder / name for name in NAMES]
    for path in paths:
        path.write_bytes(OLD)
        path.chmod(0o600)
    return paths, Journal(folder / "state")


def apply_all(paths: list[Path], journal: Journal, moment: object) -> None:
    apply(prepare([step(path) for path in paths]), ["x"], journal, moment=moment)  # type: ignore[arg-type]


def undo_last(paths: list[Path], journal: Journal, moment: object) -> None:
    entry = journal.find(None)
    assert entry is not None
    undo(journal, entry, moment)  # type: ignore[arg-type]


ACTIONS = {"apply": apply_all, "undo": undo_last}


def moments_of(action: str, folder: Path) -> list[str]:
    """All moments that the action passes, in order."""
    paths, journal = furnished(folder)
    if action == "undo":
        apply_all(paths, journal, lambda name: None)
    passed: list[str] = []
    ACTIONS[action](paths, journal, passed.append)
    return passed


def killed_at(number: int, action: str, paths: list[Path], journal: Journal) -> int:
    """The action in a child of its own that kills itself at the moment of that number."""
    child = os.fork()
    if child == 0:
        passed = 0

        def moment(name: str) -> None:
            nonlocal passed
            if passed == number:
                os.kill(os.getpid(), signal.SIGKILL)
            passed += 1

        try:
            ACTIONS[action](paths, journal, moment)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_whenever_it_is_killed_every_file_is_whole_and_undo_restores_all(
    tmp_path: Path, action: str
) -> None:
    moments = moments_of(action, tmp_path / "count")
    assert len(moments) > 6
    assert moments.count("replaced") == 2

    for number, name in enumerate(moments):
        paths, journal = furnished(tmp_path / f"{number}-{name}")
        if action == "undo":
            apply_all(paths, journal, lambda name: None)

        code = killed_at(number, action, paths, journal)

        assert code == -signal.SIGKILL
        held = [path.read_bytes() for path in paths]
        assert all(data in (OLD, NEW) for data in held), name
        entry = journal.find(None)
        if entry is None:
            # Killed before anything was written, or after everything was put back.
            assert held == [OLD, OLD]
        else:
            undo(journal, entry)
        assert [path.read_bytes() for path in paths] == [OLD, OLD]
        assert sorted(p.name for p in paths[0].parent.iterdir()) == sorted([*NAMES, "state"])
        assert all(path.stat().st_mode & 0o777 == 0o600 for path in paths)


def test_after_a_kill_the_next_fix_can_be_applied(tmp_path: Path) -> None:
    paths, journal = furnished(tmp_path / "files")
    number = moments_of("apply", tmp_path / "count").index("replaced")
    killed_at(number, "apply", paths, journal)
    assert [path.read_bytes() for path in paths] == [NEW, OLD]

    with pytest.raises(RefusedEdit):
        prepare([step(path) for path in paths])
    apply(prepare([step(paths[1])]), ["rest"], journal)

    assert [path.read_bytes() for path in paths] == [NEW, NEW]


def test_the_next_fix_removes_the_half_written_file_of_a_killed_one(tmp_path: Path) -> None:
    paths, journal = furnished(tmp_path / "files")
    number = moments_of("apply", tmp_path / "count").index("temporary-written")
    killed_at(number, "apply", paths, journal)
    assert len(list(paths[0].parent.iterdir())) == 4

    apply(prepare([step(paths[0])]), ["again"], journal)

    assert sorted(p.name for p in paths[0].parent.iterdir()) == sorted([*NAMES, "state"])
