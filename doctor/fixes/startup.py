"""Which shell start-up file sets a variable: read as text, never run.

What counts is the value: a line that exports another value than the environment holds is not
where the variable comes from. A line that makes its value of other variables, or by running
something, is not judged at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from doctor.connection import Origin, OriginKind
from doctor.facts.machine import Environment
from doctor.fixes import files
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan import fish, posix, powershell
from doctor.fixes.scan.base import Assignment, Nesting, Scan
from doctor.fixes.steps import Format, Shell

_SOURCED = re.compile(
    r"""["']?(?:(?P<home>~|\$HOME|\$\{HOME\})/|(?P<root>/))(?P<rest>[^\s"'$`*?\[\]{}()\\]+)["']?"""
)
_DEPTH = 3
# Characters; a longer file that is read by a start-up file is a program, not settings.
_LONGEST_SOURCED = 64 * 1024


@dataclass(frozen=True, slots=True)
class StartupFile:
    """``family`` is whose file it is, None for those that every session reads. ``own`` files are
    the user's; the others are the system's."""

    path: str
    shown: str
    format: Format
    family: Shell | None
    own: bool = True
    allexport: bool = False


@dataclass(frozen=True, slots=True)
class Export:
    """One place that gives a variable to programs."""

    file: StartupFile
    assignment: Assignment
    last_line: int

    @property
    def place(self) -> str:
        return f"{self.file.shown}:{self.assignment.line}"


def find_export(name: str, value: str, environment: Environment) -> Origin | None:
    """Where ``name`` gets ``value`` from: ``~/.zshrc:41``. None where no start-up file says so."""
    found = Startup(environment).exports(name, value)
    if not found:
        return None
    last = found[-1]
    return Origin(OriginKind.ENVIRONMENT, name, last.file.shown, last.assignment.line)


def user_shell(environment: Environment) -> Shell:
    """The shell whose lines the user can run, by ``SHELL``; PowerShell on Windows."""
    if environment.platform == "win32":
        return Shell.POWERSHELL
    name = os.path.basename(environment.variables.get("SHELL", ""))
    known = {"bash": Shell.BASH, "zsh": Shell.ZSH, "fish": Shell.FISH, "pwsh": Shell.POWERSHELL}
    return known.get(name, Shell.SH)


class Startup:
    """The start-up files of one environment, each read at most once."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.shell = user_shell(environment)
        self._home = Path(environment.home)
        self._scans: dict[str, tuple[str, Scan] | None] = {}

    def exports(self, name: str, value: str | None = None) -> tuple[Export, ...]:
        """The places that give ``name`` the value ``value`` (None: any), those that surely do and
        those of the user's own shell last, so that the last one is the likeliest."""
        found = [
            Export(file, assignment, text.count("\n", 0, assignment.command_end) + 1)
            for file, text, scan in self._all(name)
            for assignment in scan.assignments
            if assignment.name == name
            and assignment.exported
            and (value is None or assignment.value == value)
        ]
        return tuple(sorted(found, key=self._likeliness))

    def unexported(self, name: str) -> tuple[Export, ...]:
        """The places that set ``name`` for the shell alone, so that no program gets it."""
        return tuple(
            Export(file, assignment, text.count("\n", 0, assignment.command_end) + 1)
            for file, text, scan in self._all(name)
            for assignment in scan.assignments
            if assignment.name == name and not assignment.exported
        )

    def read_by_mine(self, export: Export) -> bool:
        """Whether the user's own shell, or every session, reads the file."""
        return export.file.family in (None, self.shell)

    def _likeliness(self, export: Export) -> tuple[bool, int]:
        mine = self.read_by_mine(export) + (export.file.family is self.shell)
        return export.assignment.nesting is not Nesting.FUNCTION, mine

    # ---------------------------------------------------------------- files

    def _all(self, name: str) -> Iterator[tuple[StartupFile, str, Scan]]:
        seen: set[str] = set()
        for file in self._files():
            yield from self._with_sourced(file, name, seen, 0)

    def _with_sourced(
        self, file: StartupFile, name: str, seen: set[str], depth: int
    ) -> Iterator[tuple[StartupFile, str, Scan]]:
        real = os.path.realpath(file.path)
        if real in seen:
            return
        seen.add(real)
        read = self._scanned(file, name, depth)
        if read is None:
            return
        text, scan = read
        if depth < _DEPTH:
            for written in scan.sourced:
                path = self._sourced_path(written)
                if path is not None:
                    inner = StartupFile(path, self._shown(path), file.format, file.family)
                    yield from self._with_sourced(inner, name, seen, depth + 1)
        yield file, text, scan

    def _scanned(self, file: StartupFile, name: str, depth: int) -> tuple[str, Scan] | None:
        if file.path not in self._scans:
            try:
                text = files.read(file.path).data.decode("utf-8", "surrogateescape")
            except RefusedEdit:
                self._scans[file.path] = None
                return None
            if depth and len(text) > _LONGEST_SOURCED and name not in text:
                return None
            try:
                self._scans[file.path] = text, _scan(file, text)
            except RefusedEdit:
                self._scans[file.path] = None
        return self._scans[file.path]

    def _sourced_path(self, written: str) -> str | None:
        match = _SOURCED.fullmatch(written)
        if match is None:
            return None
        path = self._home / match["rest"] if match["home"] else Path("/" + match["rest"])
        inside = path.is_relative_to(self._home) and ".." not in path.parts
        return str(path) if inside and os.path.isfile(path) else None

    def _shown(self, path: str) -> str:
        pure = Path(path)
        if pure.is_relative_to(self._home):
            return str(Path("~") / pure.relative_to(self._home))
        return path

    def _files(self) -> Iterator[StartupFile]:
        """In the order in which a session reads them, as far as there is one."""
        if not self.environment.home:
            return
        for path, format_, family, own, allexport in self._candidates():
            if os.path.isfile(path):
                yield StartupFile(
                    str(path), self._shown(str(path)), format_, family, own, allexport
                )

    def _candidates(self) -> Iterator[tuple[Path, Format, Shell | None, bool, bool]]:
        variables, home = self.environment.variables, self._home
        if self.environment.platform == "win32":
            for folder in ("PowerShell", "WindowsPowerShell"):
                for name in ("profile.ps1", "Microsoft.PowerShell_profile.ps1"):
                    path = home / "Documents" / folder / name
                    yield path, Format.POWERSHELL, Shell.POWERSHELL, True, False
            return
        config = Path(variables.get("XDG_CONFIG_HOME") or home / ".config")
        zsh = Path(variables.get("ZDOTDIR") or home)
        yield Path("/etc/environment"), Format.SHELL, None, False, True
        for path in _listed(config / "environment.d", "*.conf"):
            yield path, Format.SHELL, None, True, True
        for path in (
            Path("/etc/profile"),
            *_listed(Path("/etc/profile.d"), "*.sh"),
            Path("/etc/bash.bashrc"),
        ):
            yield path, Format.SHELL, Shell.BASH, False, False
        for path in (Path("/etc/zsh/zshenv"), Path("/etc/zshenv"), Path("/etc/zsh/zshrc")):
            yield path, Format.SHELL, Shell.ZSH, False, False
        # ~/.profile is sh's and bash's, and display managers read it for every session.
        for name in (".xprofile", ".xsessionrc", ".profile"):
            yield home / name, Format.SHELL, None, True, False
        for name in (".bash_login", ".bash_profile", ".bashrc"):
            yield home / name, Format.SHELL, Shell.BASH, True, False
        for name in (".zshenv", ".zprofile", ".zshrc", ".zlogin"):
            yield zsh / name, Format.SHELL, Shell.ZSH, True, False
        for path in (*_listed(config / "fish/conf.d", "*.fish"), config / "fish/config.fish"):
            yield path, Format.FISH, Shell.FISH, True, False
        for name in ("profile.ps1", "Microsoft.PowerShell_profile.ps1"):
            yield config / "powershell" / name, Format.POWERSHELL, Shell.POWERSHELL, True, False


def _listed(folder: Path, pattern: str) -> Iterable[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return ()


def _scan(file: StartupFile, text: str) -> Scan:
    if file.format is Format.FISH:
        return fish.scan(text)
    if file.format is Format.POWERSHELL:
        return powershell.scan(text)
    return posix.scan(text, allexport=file.allexport)
