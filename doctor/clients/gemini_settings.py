"""The settings files and variables of Gemini CLI. Facts: facts/gateway-clients.md §3.12.

Read in 0.61.0 and observed: the system's settings win, then the working folder's, the user's, the
system's defaults; of env files only the first is read, ``.gemini/.env`` before ``.env``, from the
working folder up to the root of the file system and then at home; in a folder that is not trusted
the working folder's settings and ``.gemini/.env`` do not count, and of ``.env`` only a few names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from doctor.clients.files import File, Files
from doctor.clients.machine import Machine
from doctor.clients.node_env import read
from doctor.connection import Shadowed
from doctor.records import dataclass
from doctor.settings.references import reference
from doctor.settings.variables import Layer, Space
from doctor.text import _

FOLDER = ".gemini"
_NO_START = _("Gemini CLI does not start")
_SYSTEM = {
    "darwin": "/Library/Application Support/GeminiCli",
    "win32": "C:\\ProgramData\\gemini-cli",
}
# What an untrusted folder's .env may set.
_UNTRUSTED = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION")


@dataclass(frozen=True, slots=True)
class Config:
    """``files`` are the settings, the one that wins first; ``space`` the variables it then has.

    ``env_path`` is the one env file that is read.
    """

    files: tuple[File, ...]
    space: Space
    env: Layer | None
    env_path: Path

    def texts(self, *keys: str) -> tuple[Shadowed[str], ...]:
        """The value in effect, then those behind it; variables in it are filled in."""
        found = (file.text(*keys) for file in self.files)
        return tuple(self._filled(text) for text in found if text is not None and text.value)

    def is_on(self, *keys: str) -> bool:
        """A switch; off where no file says so."""
        values = (file.at(*keys) for file in self.files)
        return next((value for value in values if value is not None), False) is True

    def _filled(self, text: Shadowed[str]) -> Shadowed[str]:
        named = reference(text.value) if "$" in text.value else None
        held = None if named is None else self.space.get(named.name)
        return text if held is None else Shadowed(held.value, held.origin)


def home_of(machine: Machine) -> Path:
    return machine.folder("GEMINI_CLI_HOME", machine.home) / FOLDER


def config(files: Files) -> Config:
    """Reads them all. Gemini CLI does not start with settings that do not parse."""
    machine = files.machine
    system = machine.system(_SYSTEM.get(machine.environment.platform, "/etc/gemini-cli"))
    user = files.json(home_of(machine) / "settings.json", consequence=_NO_START)
    trusted = _is_trusted(machine, files)
    own = machine.cwd / FOLDER / "settings.json"
    project = None
    if trusted and own.parent != home_of(machine):
        project = files.json(own, consequence=_NO_START)
    layers = (
        files.json(system / "settings.json", consequence=_NO_START),
        project,
        user,
        files.json(system / "system-defaults.json", consequence=_NO_START),
    )
    env, path = _env(files, trusted)
    space = Space((*machine.shell.layers, *([env] if env else [])))
    return Config(tuple(file for file in layers if file is not None), space, env, path)


def _is_trusted(machine: Machine, files: Files) -> bool:
    """Whether nothing says that the folder is not. Where nothing says that it is, its user is
    asked at the first start."""
    told = machine.variable("GEMINI_CLI_TRUST_WORKSPACE")
    if told is not None and told.value in ("true", "false"):
        return told.value == "true"
    rules = files.json(home_of(machine) / "trustedFolders.json", consequence=_NO_START)
    best, level = -1, ""
    here = Path(os.path.realpath(machine.cwd))
    for rule, value in rules.table().items() if rules is not None else ():
        folder = os.path.dirname(rule) if value == "TRUST_PARENT" else rule
        if here.is_relative_to(os.path.realpath(folder)) and len(rule) > best:
            best, level = len(rule), str(value)
    return level != "DO_NOT_TRUST"


def _env(files: Files, trusted: bool) -> tuple[Layer | None, Path]:
    machine = files.machine
    for path in _env_places(machine, trusted):
        try:
            there = path.exists()
        except (OSError, ValueError):
            continue
        if there:
            layer = read(files, path)
            if layer is not None and not trusted:
                kept = {name: one for name, one in layer.held.items() if name in _UNTRUSTED}
                layer = Layer(kept)
            return layer, path
    return None, machine.cwd / ".env"


def _env_places(machine: Machine, trusted: bool) -> Iterator[Path]:
    for folder in (machine.cwd, *machine.cwd.parents):
        if trusted:
            yield folder / FOLDER / ".env"
        yield folder / ".env"
    if trusted:
        yield home_of(machine) / ".env"
    yield home_of(machine).parent / ".env"
