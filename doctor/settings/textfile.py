"""Reads a small text file as it stands: line ends, BOM and encoding are kept or told."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from doctor.records import dataclass

LIMIT = 256 * 1024  # bytes; settings are smaller, and whatever is larger is something else


class Unreadable(Exception):
    """The file cannot be read as text; the text says why."""


class TooLarge(Unreadable):
    """It is a file like another; only its length keeps it from being read here."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """``text`` holds every line end and a BOM as ``U+FEFF``.

    ``undecodable`` is the first line with bytes that are no UTF-8 (they are replaced);
    ``encoding`` names another one that a BOM told. ``mode`` are the permission bits, None where
    the system has none.
    """

    path: str
    text: str
    encoding: str = "utf-8"
    undecodable: int | None = None
    mode: int | None = None

    @property
    def bom(self) -> bool:
        return self.text.startswith("\ufeff")

    @property
    def crlf(self) -> bool:
        return "\r\n" in self.text


def read(path: Path, limit: int = LIMIT) -> TextFile:
    """Read ``path``. Raises ``Unreadable``, also for what is no regular file or too large."""
    try:
        # Without blocking: a pipe that nobody fills must not hold up the run.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("not a regular file")
            data = file.read(limit + 1)
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None
    except ValueError:
        raise Unreadable("no valid file name") from None  # a NUL in it
    if len(data) > limit:
        raise TooLarge(f"larger than {limit // 1024} KiB")
    mode = stat.S_IMODE(status.st_mode) if os.name == "posix" else None
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(mark):
            return TextFile(str(path), data.decode(encoding, "replace"), encoding, None, mode)
    try:
        return TextFile(str(path), data.decode("utf-8"), mode=mode)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return TextFile(str(path), data.decode("utf-8", "replace"), undecodable=line, mode=mode)


def exists(path: Path) -> bool:
    """Whether something stands there, whoever may read it. A link that leads nowhere is nothing;
    what lies in a folder that may be seen but not entered counts as there."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return os.path.exists(path.parent)
    return True


def shut_folder(path: Path) -> Path | None:
    """The folder of ``path``, where it is there but may not be entered."""
    try:
        os.stat(path)
    except PermissionError:
        return path.parent if os.path.isdir(path.parent) else None
    except (OSError, ValueError):
        return None
    return None


def names_in(folder: Path) -> tuple[str, ...]:
    """The names of what lies in ``folder``, sorted; none where it cannot be listed."""
    try:
        return tuple(sorted(os.listdir(folder)))
    except OSError:
        return ()
