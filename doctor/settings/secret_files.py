"""Files that hold a key: who may read them, and whether git would publish them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from doctor.facts.observed import SecretFile
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
    """The permission bits, None where the system has none or the file cannot be seen."""
    if os.name != "posix":
        return None
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def git_root(folder: Path) -> Path | None:
    """The nearest folder from ``folder`` upwards that holds a ``.git``."""
    return next((known for known in (folder, *folder.parents) if (known / ".git").exists()), None)


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
