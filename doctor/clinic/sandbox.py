"""The folder of a case: a home to work in, and what is needed to open its servers again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from doctor.clinic.cases import Case
from doctor.clinic.shellfile import Unclear, exported
from doctor.demo.servers import Servers
from doctor.demo.shell import quoted
from doctor.demo.stage import STARTUP, environment_of, furnish
from doctor.facts.machine import Environment
from doctor.fixes.lock import locked
from doctor.fixes.refusal import RefusedEdit
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.documents import Malformed, parse_json
from doctor.text import _

# Where the clinic lies instead: a shell within a case has another home.
VARIABLE = "KVDOCTOR_CLINIC"
_STATE = "case.json"
_HOME = "home"
_LOCK = "lock"
_SHELL = "shell"
_KEPT = ("PATH", "TERM", "LANG", "LC_ALL", "LC_MESSAGES")
_LARGEST = 1024 * 1024
_NAME = Pattern(r"[a-z0-9-]+")


class SandboxError(Exception):
    """The case cannot be opened; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """``ports`` are those of its servers in their order, ``arguments`` what is typed after
    ``kvdoctor check``, ``settings`` the names of those that are wrong."""

    case: Case
    folder: Path
    ports: tuple[int, ...]
    arguments: tuple[str, ...]
    settings: tuple[str, ...]

    @property
    def home(self) -> Path:
        return self.folder / _HOME

    def environment(self) -> Environment:
        """What a new shell of the case holds, by its files as they are now. Raises
        ``SandboxError``."""
        path = self.home / STARTUP
        try:
            text = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
        except OSError as error:
            raise SandboxError(f"{path}: {error.strerror}") from None
        try:
            variables = exported(text)
        except Unclear as unclear:
            place = f"~/{STARTUP}"
            raise SandboxError(_("{place}: {why}", place=place, why=unclear.args[0])) from None
        return environment_of(self.home, variables)

    def files(self) -> tuple[Path, ...]:
        """The files that the user has, whatever tools have put beside them."""
        found = (path for path in sorted(self.home.rglob("*")) if path.is_file())
        state = self.home / ".local"
        return tuple(path for path in found if not path.is_relative_to(state))

    def shell_line(self, *, short: bool = False) -> str:
        """Opens a bash in the case that holds nothing of the real environment; ``short`` as
        ``at_home`` writes its path."""
        path = self.folder / _SHELL
        return f"sh {at_home(path) if short else quoted(str(path))}"

    def typed(self) -> tuple[str, ...]:
        """What its user types after ``kvdoctor check`` in that shell, whose folder is the
        project's."""
        project = environment_of(self.home, {}).cwd + os.sep
        return tuple(word.removeprefix(project) for word in self.arguments)

    def shell_script(self) -> str:
        """What that line runs."""
        folder = environment_of(self.home, {}).cwd
        names = f"HOME={quoted(str(self.home))} {VARIABLE}={quoted(str(self.folder.parent))}"
        # The reader's language stays: it is no part of what is broken.
        kept = " ".join(f'${{{name}+"{name}=${name}"}}' for name in _KEPT)
        return f"cd {quoted(folder)} && exec env -i {names} {kept} bash\n"


def at_home(path: Path) -> str:
    """``path`` as a word of a shell, with ``~`` where it lies in the reader's home."""
    home = Path(os.path.expanduser("~"))
    below = str(path.relative_to(home)) if path.is_relative_to(home) else ""
    return f"~/{below}" if below and quoted(below) == below else quoted(str(path))


def clinic_folder(environ: Mapping[str, str]) -> Path:
    """Where the cases of this user lie."""
    named = environ.get(VARIABLE)
    if named:
        return Path(named)
    from doctor.fixes.journal import state_folder

    return state_folder().parent / "clinic"


async def prepare(case: Case, root: Path) -> Sandbox:
    """Lay the case anew: what was there is removed. Raises ``SandboxError``."""
    folder = root / case.id
    try:
        if (folder / _STATE).is_file():
            shutil.rmtree(folder)
        # Whatever else lies there is not ours to remove.
        folder.mkdir(parents=True, mode=0o700)
        async with contextlib.AsyncExitStack() as stack:
            servers = Servers(stack)
            setup = await case.scenario.build(servers)
            environment = furnish(folder.resolve() / _HOME, setup)
            arguments = tuple(
                str(Path(environment.cwd, word)) if word in setup.files else word
                for word in setup.arguments
            )
            found = Sandbox(
                case,
                folder.resolve(),
                tuple(servers.ports),
                arguments,
                tuple(setup.right),
            )
        _write(found)
    except OSError as error:
        raise SandboxError(_told(folder, error)) from None
    return found


def opened(case: Case, root: Path) -> Sandbox | None:
    """The case as it was left; None where it was never opened, or its state is unreadable."""
    folder = (root / case.id).resolve()
    path = folder / _STATE
    try:
        if path.stat().st_size > _LARGEST:
            return None
        value = parse_json(path.read_text("utf-8")).data
        assert isinstance(value, dict)
        assert value["scenario"] == case.name
        return Sandbox(
            case,
            folder,
            tuple(_port(port) for port in value["ports"]),
            tuple(map(str, value["arguments"])),
            tuple(map(str, value["settings"])),
        )
    except (OSError, Malformed, AssertionError, KeyError, TypeError, ValueError):
        return None


def _port(value: object) -> int:
    if not isinstance(value, int) or not 0 < value < 65536:
        raise ValueError(value)
    return value


@contextlib.asynccontextmanager
async def serving(sandbox: Sandbox) -> AsyncIterator[bool]:
    """The servers of the case until the block ends. False: another process has them up already.

    Raises ``SandboxError`` where a port was taken by something else meanwhile.
    """
    async with contextlib.AsyncExitStack() as stack:
        try:
            stack.enter_context(locked(sandbox.folder / _LOCK))
        except RefusedEdit:
            yield False
            return
        try:
            await sandbox.case.scenario.build(Servers(stack, sandbox.ports))
        except OSError as error:
            raise SandboxError(
                _(
                    "a port of the case is taken by another program ({why}). "
                    "--reset lays the case anew, on other ports",
                    why=error.strerror or str(error),
                )
            ) from None
        yield True


def _write(sandbox: Sandbox) -> None:
    value: dict[str, Any] = {
        "scenario": sandbox.case.name,
        "ports": sandbox.ports,
        "arguments": sandbox.arguments,
        "settings": sandbox.settings,
    }
    for name, text in ((_STATE, json.dumps(value, indent=1)), (_SHELL, sandbox.shell_script())):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(sandbox.folder / name, flags, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)


def _told(folder: Path, error: OSError) -> str:
    return f"{error.filename or folder}: {error.strerror or error}"
