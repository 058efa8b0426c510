"""Applying and taking back on real files: bytes, links, modes, and every reason to refuse."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.fixes.apply import apply
from doctor.fixes.journal import Entry, Journal, State
from doctor.fixes.prepare import prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import posix
from doctor.fixes.steps import EditFile, Format, Operation
from doctor.fixes.undo import preview, undo
from doctor.secrets import Secret
from tests.fixes.strategies import KEY, NEW_VALUES
from tests.fixes.test_env_editor import env_files
from tests.fixes.test_json_editor import jsonc, leaves
from tests.fixes.test_startup_editor import posix_files

TEXT = f"# mine\r\nOPENAI_API_KEY={KEY} \r\nLAST=1"
NEW = f"# mine\r\nOPENAI_API_KEY={KEY}\r\nLAST=1"
ALLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def env_step(path: Path) -> EditFile:
    from doctor.facts.settings import EnvReader

    return EditFile(
        path=str(path),
        shown=path.name,
        format=Format.ENV,
        at=("OPENAI_API_KEY",),
        line=2,
        old=Secret(f"{KEY} "),
        new=Secret(KEY),
        reader=EnvReader.DOCKER,
    )


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    path = tmp_path / "project" / ".env"
    path.parent.mkdir()
    path.write_bytes(TEXT.encode())
    path.chmod(0o640)
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state" / "kvdoctor")


def applied(path: Path, journal: Journal) -> Entry:
    return apply(prepare([env_step(path)]), ["KVD102:key strip the key"], journal)


def test_the_value_is_written_and_taken_back(env_file: Path, journal: Journal) -> None:
    entry = applied(env_file, journal)

    assert env_file.read_bytes() == NEW.encode()
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o640
    assert sorted(p.name for p in env_file.parent.iterdir()) == [".env"]

    undone = undo(journal, entry)

    assert undone.state is State.UNDONE
    assert env_file.read_bytes() == TEXT.encode()
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o640


def test_preparing_writes_nothing(env_file: Path, tmp_path: Path) -> None:
    prepared = prepare([env_step(env_file)])

    assert prepared.files[0].after == NEW.encode()
    assert env_file.read_bytes() == TEXT.encode()
    assert sorted(p.name for p in tmp_path.rglob("*")) == [".env", "project"]


def test_a_symlink_stays_one_and_its_target_changes(
    env_file: Path, journal: Journal, tmp_path: Path
) -> None:
    folder = tmp_path / "linked"
    folder.symlink_to(env_file.parent)
    link = tmp_path / "env-link"
    link.symlink_to(Path("linked") / ".env")

    entry = applied(link, journal)

    assert link.is_symlink()
    assert env_file.read_bytes() == NEW.encode()
    undo(journal, entry)
    assert link.is_symlink()
    assert env_file.read_bytes() == TEXT.encode()


def test_a_dangling_symlink_is_refused(tmp_path: Path) -> None:
    link = tmp_path / ".env"
    link.symlink_to(tmp_path / "nowhere")

    with pytest.raises(RefusedEdit, match="No such file"):
        prepare([env_step(link)])


def test_a_read_only_file_is_refused(env_file: Path) -> None:
    env_file.chmod(0o440)

    with pytest.raises(RefusedEdit, match="read-only"):
        prepare([env_step(env_file)])


def test_a_file_with_a_second_name_is_refused(env_file: Path) -> None:
    os.link(env_file, env_file.parent / "other")

    with pytest.raises(RefusedEdit, match="hard links"):
        prepare([env_step(env_file)])


def test_a_file_that_changed_after_the_diff_is_left_alone(env_file: Path, journal: Journal) -> None:
    prepared = prepare([env_step(env_file)])
    env_file.write_bytes(TEXT.encode() + b"\n")

    with pytest.raises(RefusedEdit, match="has changed since"):
        apply(prepared, ["x"], journal)

    assert env_file.read_bytes() == TEXT.encode() + b"\n"
    assert journal.entries() == ()


def test_a_symlink_that_was_turned_elsewhere_is_left_alone(
    env_file: Path, journal: Journal, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(env_file)
    prepared = prepare([env_step(link)])
    other = tmp_path / "other"
    other.write_bytes(TEXT.encode())
    link.unlink()
    link.symlink_to(other)

    with pytest.raises(RefusedEdit, match="has changed since"):
        apply(prepared, ["x"], journal)

    assert other.read_bytes() == TEXT.encode()


def test_a_file_that_changed_after_the_fix_is_not_undone(env_file: Path, journal: Journal) -> None:
    entry = applied(env_file, journal)
    env_file.write_bytes(b"OPENAI_API_KEY=new\n")

    with pytest.raises(RefusedEdit, match="has changed since the fix"):
        undo(journal, entry)

    assert env_file.read_bytes() == b"OPENAI_API_KEY=new\n"


def test_an_entry_is_undone_once(env_file: Path, journal: Journal) -> None:
    entry = applied(env_file, journal)
    undo(journal, entry)

    with pytest.raises(RefusedEdit, match="undone already"):
        undo(journal, entry)


def test_a_damaged_backup_is_not_written_back(env_file: Path, journal: Journal) -> None:
    entry = applied(env_file, journal)
    (journal.folder / "backups" / entry.files[0].backup).write_bytes(b"garbage")

    with pytest.raises(RefusedEdit, match="damaged"):
        undo(journal, entry)

    assert env_file.read_bytes() == NEW.encode()


def test_a_second_file_that_cannot_be_written_takes_the_first_back(
    env_file: Path, journal: Journal, tmp_path: Path
) -> None:
    second = tmp_path / "second.env"
    second.write_bytes(TEXT.encode())
    prepared = prepare([env_step(env_file), env_step(second)])

    def meddle(moment: str) -> None:
        if moment == "replaced" and second.read_bytes() == TEXT.encode():
            second.write_bytes(b"changed in between")

    with pytest.raises(RefusedEdit):
        apply(prepared, ["x"], journal, moment=meddle)

    assert second.read_bytes() == b"changed in between"
    assert env_file.read_bytes() == TEXT.encode()
    assert [entry.state for entry in journal.entries()] == [State.UNDONE]


def test_only_one_writes_at_a_time(env_file: Path, journal: Journal) -> None:
    prepared = prepare([env_step(env_file)])

    with journal.held(), pytest.raises(RefusedEdit, match="another kvdoctor"):
        apply(prepared, ["x"], journal)

    assert env_file.read_bytes() == TEXT.encode()


def test_the_journal_is_for_the_user_alone_and_its_lines_hold_no_key(
    env_file: Path, journal: Journal
) -> None:
    entry = applied(env_file, journal)

    for folder in (journal.folder, journal.folder / "backups"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in journal.folder.rglob("*"):
        if path.is_file():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in (journal.folder / "journal.jsonl").read_text()
    undo(journal, entry)
    assert list((journal.folder / "backups").iterdir()) == []


def test_what_undo_would_do_is_shown_masked(env_file: Path, journal: Journal) -> None:
    entry = applied(env_file, journal)

    lines = [line for one in preview(journal, entry) for line in one.lines()]

    assert "-OPENAI_API_KEY=sk-…0up0␍" in lines
    assert "+OPENAI_API_KEY=sk-…0up0 ␍" in lines
    assert KEY not in "\n".join(lines)


def test_a_journal_line_that_was_cut_short_swallows_no_other(
    env_file: Path, journal: Journal
) -> None:
    first = applied(env_file, journal)
    undo(journal, first)
    with (journal.folder / "journal.jsonl").open("a") as file:
        file.write('{"id": "20300101-000000-abcd", "state": "beg')

    second = applied(env_file, journal)

    assert [entry.id for entry in journal.entries()] == [first.id, second.id]
    assert journal.find(None) == second


def test_entries_are_undone_from_the_last_to_the_first(env_file: Path, journal: Journal) -> None:
    first = applied(env_file, journal)
    step = EditFile(str(env_file), ".env", Format.ENV, ("LAST",), 3, "1", "2")
    second = apply(prepare([step]), ["y"], journal)

    with pytest.raises(RefusedEdit, match="has changed since the fix"):
        undo(journal, first)
    undo(journal, second)
    undo(journal, first)

    assert env_file.read_bytes() == TEXT.encode()


def test_two_edits_of_one_file_are_one_write(tmp_path: Path, journal: Journal) -> None:
    path = tmp_path / "rc"
    path.write_text(f'export K="{KEY}\n"\nexport U=http://h\nexport P=http://p\n')

    def rc(name: str, line: int, old: str, new: str | None) -> EditFile:
        operation = Operation.REMOVE if new is None else Operation.SET
        return EditFile(str(path), "~/rc", Format.SHELL, (name,), line, old, new, operation)

    prepared = prepare(
        [
            rc("K", 1, f"{KEY}\n", KEY),
            rc("U", 3, "http://h", "http://h/v1"),
            rc("P", 4, "http://p", None),
        ]
    )
    entry = apply(prepared, ["x"], journal)

    assert path.read_text() == f'export K="{KEY}"\nexport U=http://h/v1\n# export P=http://p\n'
    assert len(entry.files) == 1
    undo(journal, entry)
    assert path.read_text().startswith(f'export K="{KEY}\n"\n')


def test_two_ends_of_one_value_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text("export U=http://h\n")
    steps = [
        EditFile(str(path), "~/rc", Format.SHELL, ("U",), 1, "http://h", new)
        for new in ("http://h/v1", "http://h/api")
    ]

    with pytest.raises(RefusedEdit):
        prepare(steps)


def test_changes_of_one_value_in_a_row_are_one(tmp_path: Path) -> None:
    path = tmp_path / "rc"
    path.write_text("export U='http://h?x '\n")
    row = ["http://h?x ", "http://h?x", "http://h", "http://h/v1"]
    steps = [
        EditFile(str(path), "~/rc", Format.SHELL, ("U",), 1, old, new)
        for old, new in itertools.pairwise(row)
    ]

    assert prepare(steps).files[0].after == b"export U='http://h/v1'\n"


@pytest.mark.parametrize(
    "data", ["OPENAI_API_KEY=x\n".encode("utf-16"), b"A=\xff\nOPENAI_API_KEY=x\n"]
)
def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / ".env"
    path.write_bytes(data)

    with pytest.raises(RefusedEdit, match=r"UTF-16|not UTF-8"):
        prepare([env_step(path)])


def test_other_bytes_of_a_start_up_file_survive(tmp_path: Path, journal: Journal) -> None:
    path = tmp_path / "rc"
    path.write_bytes(b"# \xc4\xe3\xba\xc3\nexport U=http://h\n")

    apply(
        prepare([EditFile(str(path), "~/rc", Format.SHELL, ("U",), 2, "http://h", "http://h/v1")]),
        ["x"],
        journal,
    )

    assert path.read_bytes() == b"# \xc4\xe3\xba\xc3\nexport U=http://h/v1\n"


@settings(deadline=None, max_examples=60, suppress_health_check=ALLOW)
@given(data=st.data(), kind=st.sampled_from(["json", "env", "shell"]), new=NEW_VALUES)
def test_edit_then_undo_leaves_every_byte(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, kind: str, new: str
) -> None:
    folder = tmp_path_factory.mktemp("files")
    path = folder / "file"
    step = _drawn_step(path, data, kind, new)
    if step is None:
        return
    before = path.read_bytes()
    journal = Journal(folder / "state")
    try:
        prepared = prepare([step])
    except RefusedEdit:
        assert path.read_bytes() == before
        return

    entry = apply(prepared, ["x"], journal)
    assert path.read_bytes() == prepared.files[0].after
    undo(journal, entry)

    assert path.read_bytes() == before


def _drawn_step(path: Path, data: st.DataObject, kind: str, new: str) -> EditFile | None:
    if kind == "json":
        text, value = data.draw(jsonc())
        found = [(p, v) for p, v in leaves(value) if isinstance(v, str)]
        if not found:
            return None
        at, old = data.draw(st.sampled_from(found))
        path.write_bytes(text.encode())
        return EditFile(str(path), "f", Format.JSON, at, None, old, new)
    if kind == "env":
        from doctor.fixes.editors.envfile import readings

        text = data.draw(env_files())
        reader, read = data.draw(st.sampled_from(sorted(readings({}).items())))
        assignments = read(text).assignments
        if not assignments:
            return None
        chosen = data.draw(st.sampled_from(assignments))
        path.write_bytes(text.encode())
        at = (chosen.name,)
        return EditFile(
            str(path), "f", Format.ENV, at, chosen.line, chosen.value, new, reader=reader
        )
    text = data.draw(posix_files())
    known = [a for a in posix.scan(text).assignments if a.value is not None]
    if not known:
        return None
    one = data.draw(st.sampled_from(known))
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return EditFile(str(path), "f", Format.SHELL, (one.name,), one.line, one.value, new)


# ------------------------------------------------------------------ as another user


def as_nobody(action: Callable[[], None]) -> int:
    """Run ``action`` in a child that is no superuser; 0 if it raised nothing."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def open_folder() -> Path:
    """A folder that everybody may enter; pytest's own are for one user."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="kvdoctor-test-"))
    folder.chmod(0o755)
    return folder


def test_a_folder_in_which_nothing_can_be_made_is_refused(open_folder: Path) -> None:
    folder = open_folder / "project"
    folder.mkdir()
    path = folder / ".env"
    path.write_bytes(TEXT.encode())
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    folder.chmod(0o555)

    def action() -> None:
        with pytest.raises(RefusedEdit, match="nothing can be written"):
            prepare([env_step(path)])

    assert as_nobody(action) == 0
    assert path.read_bytes() == TEXT.encode()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_another_users_file_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o777)
    path = open_folder / ".env"
    path.write_bytes(TEXT.encode())
    path.chmod(0o666)

    def action() -> None:
        with pytest.raises(RefusedEdit, match="belongs to another user"):
            prepare([env_step(path)])

    assert as_nobody(action) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_of_a_file_stays(env_file: Path, journal: Journal) -> None:
    os.chown(env_file, 65534, 65534)

    applied(env_file, journal)

    status = env_file.stat()
    assert (status.st_uid, status.st_gid) == (65534, 65534)
    assert stat.S_IMODE(status.st_mode) == 0o640
