"""Files that hold a key: who may read them, and whether git would publish them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from doctor.facts.settings import SecretFile
from doctor.settings.found import KeyPlace

_TIMEOUT = 2.0  # seconds; a network file system must not hold up the run


def secret_files(places: Iterable[KeyPlace]) -> tuple[SecretFile, ...]:
    """``places`` with permission bits and git's view of each file."""
    listed = tuple(dict.fromkeys(places))
    tracked = tracked_by_git({place.path for place in listed})
    return tuple(
        SecretFile(
            path=place.shown,
            line=place.line,
            name=place.name,
            mode=mode_of(Path(place.path)),
            tracked_by_git=tracked.get(place.path),
        )
        for place in listed
    )


def mode_of(path: Path) -> int | None:
    """The permission bits that matter: those by which another account can really read the file.

    A file that all may read in a home that only its owner enters is private, and so is one whose
    group has no other member, and any file on a machine without other people's accounts. None
    where the system has no such bits or the file cannot be seen.
    """
    if os.name != "posix":
        return None
    try:
        status = path.resolve().stat()
        folders = [parent.stat().st_mode for parent in path.resolve().parents]
    except OSError:
        return None
    return effective_mode(
        stat.S_IMODE(status.st_mode),
        folders,
        other_people=_has_other_people(status.st_uid),
        shared_group=not _is_own_group(status.st_gid, status.st_uid),
    )


def effective_mode(
    mode: int, folders: Sequence[int], *, other_people: bool, shared_group: bool
) -> int:
    """``mode`` without the bits that let nobody in. ``folders`` are the modes of all parents."""
    if not other_people or not all(folder & 0o001 for folder in folders):
        mode &= ~0o007
    if not shared_group or not all(folder & 0o011 for folder in folders):
        mode &= ~0o070
    return mode


# Accounts of people begin here on every common Linux and stay below the special ones (login.defs).
_PEOPLE = range(1000, 60_000)


def _has_other_people(owner: int) -> bool:
    import pwd

    return (
        any(
            entry.pw_uid in _PEOPLE
            and entry.pw_uid != owner
            and not entry.pw_shell.endswith(("nologin", "false"))
            for entry in pwd.getpwall()
        )
        or sys.platform == "darwin"
    )


def _is_own_group(group: int, owner: int) -> bool:
    """Whether the group has its owner as the only member, as user private groups have."""
    import grp
    import pwd

    try:
        entry = grp.getgrgid(group)
        name = pwd.getpwuid(owner).pw_name
    except KeyError:
        return True  # nobody on this machine is known to be in it
    return entry.gr_name == name and set(entry.gr_mem) <= {name}


def git_root(folder: Path) -> Path | None:
    """The nearest folder from ``folder`` upwards that holds a ``.git``."""
    return next(
        (known for known in (folder, *folder.parents) if os.path.exists(known / ".git")), None
    )


def tracked_by_git(paths: Iterable[str]) -> dict[str, bool]:
    """Path → whether git tracks it; a path outside of any work tree is not tracked.

    Paths for which git cannot tell (it is missing, or refuses the work tree) are left out.
    """
    by_root: dict[Path, list[str]] = {}
    tracked: dict[str, bool] = {}
    for path in paths:
        root = git_root(Path(path).parent)
        if root is None:
            tracked[path] = False
        else:
            by_root.setdefault(root, []).append(path)
    for root, members in by_root.items():
        listed = _ls_files(root, members)
        if listed is not None:
            tracked |= {path: path in listed for path in members}
    return tracked


def _ls_files(root: Path, paths: list[str]) -> set[str] | None:
    import subprocess

    relative = {os.path.relpath(path, root): path for path in paths}
    # ls-files reads the index and runs nothing of the repository's own but its fsmonitor.
    command = ["git", "-c", "core.fsmonitor=false", "--literal-pathspecs", "ls-files", "-z", "--"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_")
    } | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, paths behind "--"
            [*command, *relative],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode != 0:
        return None
    names = os.fsdecode(done.stdout).split("\0")
    return {relative[name] for name in names if name in relative}
