"""What was changed, and the bytes that stood there before: kept before anything is written.

A folder for the user alone holds ``journal.jsonl`` and one file per backup. A line is added and
flushed to the disk at each step, so that whatever happens afterwards, the journal knows for every
file of an entry what its old and its new bytes are; which of the two it holds now, the file says
itself. Lines carry no value of any file; the backups are whole files, keys included, and go when
the entry is undone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import enum
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doctor.fixes import files
from doctor.fixes.diff import DiffLine, FileDiff, Hunk
from doctor.fixes.files import Moment, no_moment
from doctor.fixes.lock import locked
from doctor.fixes.prepare import FileChange
from doctor.fixes.refusal import RefusedEdit
from doctor.text import _

_LINES = "journal.jsonl"
_LOCK = "lock"
_BACKUPS = "backups"


class State(enum.StrEnum):
    """How an entry ended. BEGUN: it was cut off, and any of its files may be old or new."""

    BEGUN = "begun"
    APPLIED = "applied"
    UNDOING = "undoing"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of an entry: hashes of its bytes before and after, and where the old ones lie.

    ``path`` is the name under which it was edited, ``target`` where that led. ``temporary`` is
    what a run that was cut off may have left behind. ``diff`` is the difference as it was shown,
    keys masked. ``before`` is ``files.NO_FILE`` where the file was made, with ``folders`` above it.
    """

    path: str
    target: str
    shown: str
    before: str
    after: str
    backup: str
    temporary: str
    diff: FileDiff
    folders: tuple[str, ...] = ()

    @property
    def created(self) -> bool:
        return self.before == files.NO_FILE


@dataclass(frozen=True, slots=True)
class Entry:
    """One application of fixes. ``at`` is a time in ISO form; ``titles`` say what was done."""

    id: str
    at: str
    titles: tuple[str, ...]
    files: tuple[FileRecord, ...]
    state: State


def state_folder() -> Path:
    """Where the journal of this user lies."""
    import platformdirs

    return Path(platformdirs.user_state_dir("kvdoctor", appauthor=False)) / "fixes"


class Journal:
    """The journal in ``folder``, which is made when something is first written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else applies or undoes meanwhile. Raises ``RefusedEdit``."""
        try:
            self._make()
            holding = locked(self.folder / _LOCK)
            with holding:
                yield
        except OSError as error:
            raise RefusedEdit(error.strerror or str(error), path=str(self.folder)) from None

    def _make(self) -> None:
        for folder in (self.folder, self.folder / _BACKUPS):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.name == "posix":
                if folder.stat().st_uid != os.geteuid():
                    raise RefusedEdit(_("the folder belongs to another user"), path=str(folder))
                folder.chmod(0o700)

    # ---------------------------------------------------------------- reading

    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first. A line that a crash cut short is passed over."""
        try:
            text = (self.folder / _LINES).read_text("utf-8")
        except FileNotFoundError:
            return ()
        found: dict[str, Entry] = {}
        for line in text.splitlines():
            try:
                record = json.loads(line)
                identity, state = str(record["id"]), State(record["state"])
                if state is State.BEGUN:
                    found[identity] = _entry(record)
                elif identity in found:
                    found[identity] = dataclasses.replace(found[identity], state=state)
            except (ValueError, KeyError, TypeError):
                continue
        return tuple(found.values())

    def find(self, identity: str | None) -> Entry | None:
        """The entry of that id; without one, the last that is not undone."""
        known = self.entries()
        if identity is not None:
            return next((entry for entry in known if entry.id == identity), None)
        open_ones = [entry for entry in known if entry.state is not State.UNDONE]
        return open_ones[-1] if open_ones else None

    def backup(self, record: FileRecord) -> bytes:
        """The old bytes of a file. Raises ``RefusedEdit`` where they are not what they were."""
        path = self.folder / _BACKUPS / record.backup
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RefusedEdit(error.strerror or str(error), path=str(path)) from None
        if files.digest(data) != record.before:
            raise RefusedEdit(_("the backup is damaged"), path=str(path))
        return data

    # ---------------------------------------------------------------- writing

    def begin(
        self,
        titles: Sequence[str],
        changes: Sequence[tuple[FileChange, FileDiff]],
        moment: Moment = no_moment,
    ) -> Entry:
        """Keep the old bytes of ``changes``, then say so; each comes as it was shown."""
        self._tidy()
        now = datetime.datetime.now(datetime.UTC)
        identity = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        records = []
        for number, (change, diff) in enumerate(changes):
            name = f"{identity}-{number}"
            self._keep(name, change.before, moment)
            folder, base = os.path.split(change.held.target)
            temporary = os.path.join(folder, f".{base}.kvdoctor-{identity}")
            records.append(
                FileRecord(
                    path=change.path,
                    target=change.held.target,
                    shown=change.shown,
                    before=change.held.digest,
                    after=files.digest(change.after),
                    backup=name,
                    temporary=temporary,
                    diff=diff,
                    folders=files.missing_folders(change.held.target),
                )
            )
        at = now.isoformat(timespec="seconds")
        entry = Entry(identity, at, tuple(titles), tuple(records), State.BEGUN)
        self._line(dataclasses.asdict(entry))
        moment("journal-begun")
        return entry

    def mark(self, entry: Entry, state: State) -> Entry:
        """Say that ``entry`` is now in ``state``."""
        self._line({"id": entry.id, "state": state.value})
        return dataclasses.replace(entry, state=state)

    def forget_backups(self, entry: Entry) -> None:
        """Delete the old bytes; only of an entry that is undone."""
        for record in entry.files:
            (self.folder / _BACKUPS / record.backup).unlink(missing_ok=True)

    def _tidy(self) -> None:
        """Remove what runs that were cut off left lying about; all of it may hold a key."""
        for known in self.entries():
            if known.state is State.UNDONE:
                self.forget_backups(known)
            for record in known.files if known.state is not State.APPLIED else ():
                with contextlib.suppress(OSError):
                    os.unlink(record.temporary)

    def _keep(self, name: str, data: bytes, moment: Moment) -> None:
        folder = self.folder / _BACKUPS
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        files.sync_folder(str(folder))
        moment("backup-written")

    def _line(self, record: dict[str, Any]) -> None:
        path = self.folder / _LINES
        new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            whole = True
            if size:
                file.seek(size - 1)
                whole = file.read(1) == b"\n"
            # A line that a crash cut short must not swallow this one.
            line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
            file.write(line if whole else b"\n" + line)
            file.flush()
            os.fsync(file.fileno())
        if new:
            files.sync_folder(str(self.folder))


def _entry(record: dict[str, Any]) -> Entry:
    return Entry(
        id=str(record["id"]),
        at=str(record["at"]),
        titles=tuple(map(str, record["titles"])),
        files=tuple(_file(file) for file in record["files"]),
        state=State.BEGUN,
    )


def _file(record: dict[str, Any]) -> FileRecord:
    shown = record["diff"]
    hunks = tuple(
        Hunk(hunk["before"], hunk["after"], tuple(DiffLine(**line) for line in hunk["lines"]))
        for hunk in shown["hunks"]
    )
    diff = FileDiff(shown["shown"], shown["target"], hunks)
    folders = tuple(map(str, record.get("folders", ())))
    return FileRecord(**{**record, "diff": diff, "folders": folders})
