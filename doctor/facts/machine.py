"""What this machine has that bears on a request."""

from __future__ import annotations

import enum

from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Environment:
    """The process environment as the examined client sees it.

    ``platform`` is ``sys.platform``. ``system_proxies`` are those of macOS or Windows (scheme →
    URL), None where the platform has none. ``home`` and ``cwd`` are absolute. ``root`` stands
    before the absolute paths of files that belong to the system, "" for this machine's own.
    """

    variables: dict[str, str]
    platform: str
    home: str
    cwd: str
    in_container: bool = False
    over_ssh: bool = False
    system_proxies: dict[str, str] | None = None
    root: str = ""


@dataclass(frozen=True, slots=True)
class Listener:
    """A TCP socket in state LISTEN on this machine."""

    address: str
    port: int
    process: str | None = None


@dataclass(frozen=True, slots=True)
class PythonHome:
    """A Python environment that the examined program may run in, found by its folders alone.

    ``packages`` maps the lower-case names of installed distributions to their versions.
    """

    path: str
    packages: dict[str, str]


class CaState(enum.StrEnum):
    OK = "ok"
    MISSING = "missing"
    DIRECTORY = "directory"
    FILE = "file"  # where a directory is due
    NOT_PEM = "not-pem"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class CaPath:
    """A variable that names a file or a folder of CA certificates, and what stands there."""

    variable: str
    path: str
    state: CaState
    certificates: int = 0
