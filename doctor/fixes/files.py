"""Reads and writes one file: symlinks are followed and kept, mode, owner and attributes as well.

A file is written to a temporary one in the same folder, which then takes its name, so that at any
moment the name leads to either the old bytes or the new ones.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from doctor.fixes.refusal import RefusedEdit
from doctor.text import _

NO_FILE = "no file"  # in the place of a digest
LIMIT = 8 * 1024 * 1024  # bytes; whatever is larger is no settings file

# Called with the name of each moment at which the machine might stop; tests stop it there.
Moment = Callable[[str], None]


def no_moment(name: str) -> None:
    """Nothing happens."""


@dataclass(frozen=True, slots=True)
class Held:
    """A file as it was read. ``target`` is its real path, all symlinks followed. ``exists`` False:
    there is none, and one would be made."""

    target: str
    data: bytes = field(repr=False)
    mode: int
    owner: int
    group: int
    links: int
    exists: bool = True

    @property
    def digest(self) -> str:
        return digest(self.data) if self.exists else NO_FILE


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def read(path: str) -> Held:
    """Raises ``RefusedEdit`` for what is no regular file of a sensible size."""
    target = os.path.realpath(path)
    try:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(target, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise RefusedEdit(_("not a regular file"), path=path)
            data = file.read(LIMIT + 1)
    except OSError as error:
        raise RefusedEdit(error.strerror or str(error), path=path) from None
    if len(data) > LIMIT:
        raise RefusedEdit(_("larger than {n} MiB", n=LIMIT // 2**20), path=path)
    mode = stat.S_IMODE(status.st_mode)
    return Held(target, data, mode, status.st_uid, status.st_gid, status.st_nlink)


def read_or_absent(path: str) -> Held:
    """As ``read``; where there is no file, an empty one that is not there yet.

    A link that leads nowhere is refused: whoever made it wants something else.
    """
    if os.path.lexists(path):
        return read(path)
    owner, group = (os.geteuid(), os.getegid()) if hasattr(os, "geteuid") else (0, 0)
    return Held(os.path.realpath(path), b"", 0o600, owner, group, 1, exists=False)


def missing_folders(target: str) -> tuple[str, ...]:
    """The folders that have to be made for a new file, the outermost first."""
    found: list[str] = []
    folder = os.path.dirname(target)
    while folder and not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return tuple(reversed(found))


def check_writable(held: Held, path: str) -> None:
    """Raises ``RefusedEdit`` where replacing the file would lose something or is not wanted."""
    if not held.mode & stat.S_IWUSR:
        raise RefusedEdit(_("the file is read-only"), path=path)
    if held.links > 1:
        raise RefusedEdit(
            _("the file has {n} names (hard links), which a new file would part", n=held.links),
            path=path,
        )
    euid = os.geteuid() if hasattr(os, "geteuid") else None
    if euid not in (None, 0, held.owner):
        raise RefusedEdit(
            _("the file belongs to another user (uid {uid})", uid=held.owner), path=path
        )
    missing = missing_folders(held.target)
    folder = os.path.dirname(missing[0] if missing else held.target)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise RefusedEdit(_("nothing can be written in {folder}", folder=folder), path=path)


def replace(held: Held, data: bytes, temporary: str, moment: Moment = no_moment) -> None:
    """Give the file of ``held`` the bytes ``data`` by way of ``temporary``, in the same folder.

    Where there was no file one is made, with the folders above it. Raises ``OSError``; the file
    is then as it was.
    """
    try:
        for folder in missing_folders(held.target):
            os.mkdir(folder, 0o700)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            moment("temporary-created")
            file.write(data)
            _take_over(held, file.fileno())
            file.flush()
            os.fsync(file.fileno())
        if held.exists:
            _copy_attributes(held.target, temporary)
        moment("temporary-written")
        os.replace(temporary, held.target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    moment("replaced")
    sync_folder(os.path.dirname(held.target))


def remove(held: Held, folders: Sequence[str], moment: Moment = no_moment) -> None:
    """Take a file away that was made, and of ``folders`` (the outermost first) those that are
    empty again. Raises ``OSError``."""
    os.unlink(held.target)
    moment("removed")
    remove_empty(folders)
    left = os.path.dirname(held.target)
    while left and not os.path.isdir(left):
        left = os.path.dirname(left)
    sync_folder(left)


def remove_empty(folders: Sequence[str]) -> None:
    """Take away those of ``folders`` (the outermost first) in which nothing lies."""
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return


def _take_over(held: Held, descriptor: int) -> None:
    """Owner first: changing it may clear bits of the mode."""
    if hasattr(os, "fchown"):
        status = os.fstat(descriptor)
        if (status.st_uid, status.st_gid) != (held.owner, held.group):
            os.fchown(descriptor, held.owner, held.group)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, held.mode)


def _copy_attributes(source: str, destination: str) -> None:
    """Extended attributes, access control lists among them, as far as the system lets one."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(source):
            with contextlib.suppress(OSError):
                os.setxattr(destination, name, os.getxattr(source, name))


def sync_folder(folder: str) -> None:
    """Make a new name in ``folder`` outlast a power cut, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Some file systems know no such thing for folders.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
