"""A file that a fix makes: there as a whole or not at all, and gone again when it is undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.fixes.apply import apply
from doctor.fixes.diff import diff
from doctor.fixes.journal import Journal, State
from doctor.fixes.prepare import prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Format, Operation
from doctor.fixes.undo import undo

TEXT = '{\n  "env": {\n    "A": "b"\n  }\n}\n'


class Stop(BaseException):
    """The machine stops here."""


def step(home: Path, old: str | None = None) -> EditFile:
    path = home / ".client" / "sub" / "settings.json"
    operation = Operation.ADD if old is None else Operation.SET
    return EditFile(
        str(path),
        "~/.client/sub/settings.json",
        Format.JSON,
        ("env", "A"),
        None,
        old,
        "b",
        operation,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


def tree(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


def test_it_is_made_for_its_owner_alone_and_undone_with_its_folders(
    home: Path, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "state")
    prepared = prepare([step(home)])
    assert [line.sign for hunk in diff(prepared.files[0]).hunks for line in hunk.lines] == ["+"] * 5

    entry = apply(prepared, ["x"], journal)

    made = home / ".client/sub/settings.json"
    assert made.read_text() == TEXT
    assert made.stat().st_mode & 0o077 == 0
    assert undo(journal, entry).state is State.UNDONE
    assert tree(home) == []


def test_a_folder_in_which_something_else_lies_by_then_stays(home: Path, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "state")
    entry = apply(prepare([step(home)]), ["x"], journal)
    (home / ".client" / "other").write_text("mine")

    undo(journal, entry)

    assert tree(home) == [".client", ".client/other"]


def test_a_file_that_was_edited_since_is_left_alone(home: Path, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "state")
    entry = apply(prepare([step(home)]), ["x"], journal)
    made = home / ".client/sub/settings.json"
    made.write_text("{}")

    with pytest.raises(RefusedEdit):
        undo(journal, entry)
    assert made.read_text() == "{}"


def test_a_file_that_appeared_after_the_diff_is_not_written_over(
    home: Path, tmp_path: Path
) -> None:
    prepared = prepare([step(home)])
    made = home / ".client/sub/settings.json"
    made.parent.mkdir(parents=True)
    made.write_text("")

    with pytest.raises(RefusedEdit):
        apply(prepared, ["x"], Journal(tmp_path / "state"))
    assert made.read_text() == ""


def test_what_is_to_be_changed_must_be_there(home: Path) -> None:
    with pytest.raises(RefusedEdit):
        prepare([step(home, old="a")])


def test_a_link_that_leads_nowhere_is_no_place_for_a_new_file(home: Path) -> None:
    made = home / ".client/sub/settings.json"
    made.parent.mkdir(parents=True)
    made.symlink_to(home / "gone.json")

    with pytest.raises(RefusedEdit):
        prepare([step(home)])


def test_wherever_the_machine_stops_undoing_leaves_nothing(tmp_path: Path) -> None:
    passed: list[str] = []
    first = tmp_path / "first"
    first.mkdir()
    apply(prepare([step(first)]), ["x"], Journal(tmp_path / "all"), moment=passed.append)

    for number, last in enumerate(passed):
        home = tmp_path / f"home{number}"
        home.mkdir()
        journal = Journal(tmp_path / f"state{number}")
        left = iter(passed[:number])

        def moment(name: str, left: object = left) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise Stop

        with pytest.raises(Stop):
            apply(prepare([step(home)]), ["x"], journal, moment=moment)
        entry = journal.find(None)
        if entry is None:
            assert tree(home) == [], last
            continue
        undo(journal, entry)
        assert tree(home) == [], last
