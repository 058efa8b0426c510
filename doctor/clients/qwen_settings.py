"""The settings files and variables of Qwen Code. Facts: facts/gateway-clients.md §3.12.

Read in 0.24.4 and observed: settings of the system win, then the working folder's, the user's, the
system's defaults. A variable of the shell wins over ``.qwen/.env`` or ``.env`` of the nearest
folder, that over those at home, and all over ``env`` in the settings; an empty one counts as unset.
``modelProviders`` is taken whole from the file that wins.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from doctor.clients.files import File, Files
from doctor.clients.held import without_empty
from doctor.clients.machine import Machine
from doctor.clients.node_env import read
from doctor.connection import Shadowed
from doctor.records import dataclass
from doctor.settings.references import reference
from doctor.settings.variables import Held, Layer, Space
from doctor.text import _

FOLDER = ".qwen"
_NO_START = _("Qwen Code does not start")
_SYSTEM = {
    "darwin": "/Library/Application Support/QwenCode",
    "win32": "C:\\ProgramData\\qwen-code",
}


@dataclass(frozen=True, slots=True)
class Config:
    """``files`` are the settings, the one that wins first; ``space`` the variables it then has.

    ``envs`` are the env files that are read, with their paths.
    """

    files: tuple[File, ...]
    space: Space
    envs: tuple[tuple[Path, Layer], ...]

    def texts(self, *keys: str) -> tuple[Shadowed[str], ...]:
        """The value in effect, then those behind it; variables in it are filled in."""
        found = (file.text(*keys) for file in self.files)
        return tuple(self.filled(text) for text in found if text is not None and text.value)

    def file_with(self, *keys: str) -> File | None:
        """The file whose table counts where tables are not merged."""
        return next((file for file in self.files if file.at(*keys) is not None), None)

    def filled(self, text: Shadowed[str]) -> Shadowed[str]:
        named = reference(text.value) if "$" in text.value else None
        held = None if named is None else self.space.get(named.name)
        return text if held is None else Shadowed(held.value, held.origin)


def home_of(machine: Machine) -> Path:
    return machine.folder("QWEN_HOME", machine.home / FOLDER)


def config(files: Files) -> Config:
    """Reads them all. Qwen Code does not start with settings that do not parse."""
    machine = files.machine
    system = machine.system(_SYSTEM.get(machine.environment.platform, "/etc/qwen-code"))
    user = files.json(home_of(machine) / "settings.json", consequence=_NO_START)
    own = machine.cwd / FOLDER / "settings.json"
    project = None
    if own.parent != home_of(machine) and not _is_distrusted(machine, files, user):
        project = files.json(own, consequence=_NO_START)
    layers = (
        files.json(system / "settings.json", consequence=_NO_START),
        project,
        user,
        files.json(system / "system-defaults.json", consequence=_NO_START),
    )
    settings = tuple(file for file in layers if file is not None)
    envs = tuple(_envs(files))
    shell = tuple(without_empty(layer) for layer in machine.shell.layers)
    own_layers = (without_empty(layer) for _path, layer in envs)
    space = Space((*shell, *own_layers, *_of_settings(settings)))
    return Config(settings, space, envs)


def _is_distrusted(machine: Machine, files: Files, user: File | None) -> bool:
    """Only where trust is asked for at all, and this folder is known not to have it."""
    if user is None or user.at("security", "folderTrust", "enabled") is not True:
        return False
    rules = files.json(home_of(machine) / "trustedFolders.json")
    here = Path(os.path.realpath(machine.cwd))
    matching = [
        (len(rule), str(level))
        for rule, level in (rules.table().items() if rules is not None else ())
        if here.is_relative_to(os.path.realpath(rule))
    ]
    return bool(matching) and max(matching)[1] == "DO_NOT_TRUST"


def _envs(files: Files) -> Iterator[tuple[Path, Layer]]:
    machine = files.machine
    for path in dict.fromkeys(_env_places(machine)):
        layer = read(files, path)
        if layer is not None:
            yield path, layer


def _env_places(machine: Machine) -> Iterator[Path]:
    """The nearest of the folders from the working folder upwards, then those at home."""
    for folder in (machine.cwd, *machine.cwd.parents):
        if folder == machine.home:
            break
        near = next((p for p in (folder / FOLDER / ".env", folder / ".env") if _there(p)), None)
        if near is not None:
            yield near
            break
    yield home_of(machine) / ".env"
    yield machine.home / FOLDER / ".env"
    yield machine.home / ".env"


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _of_settings(settings: tuple[File, ...]) -> Iterator[Layer]:
    for file in settings:
        table: Mapping[str, Any] = file.table("env")
        texts = ((name, value) for name, value in table.items() if isinstance(value, str) and value)
        yield Layer({name: Held(name, value, file.origin("env", name)) for name, value in texts})
