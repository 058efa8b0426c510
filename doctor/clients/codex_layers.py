"""The settings files of Codex, the one that wins first, and the variables that it sees.

Observed with Codex 0.171.0: ``/etc/codex/managed_config.toml``, the files of trusted projects
(nearest first; never for what concerns providers), the profile of ``--profile``, the user's
``config.toml``, ``/etc/codex/config.toml``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from doctor.clients.files import File, Files
from doctor.clients.machine import Machine
from doctor.connection import Shadowed
from doctor.records import dataclass
from doctor.settings.textfile import names_in
from doctor.settings.variables import Layer, Space
from doctor.text import _
from doctor.untrusted import visible

_NO_START = _("Codex does not start.")
_PROFILE_END = ".config.toml"
# Codex drops these names from its own .env.
_OWN = "CODEX_"


@dataclass(frozen=True, slots=True)
class Layers:
    """``own`` are the files that may speak of providers, ``projects`` those of trusted projects."""

    managed: File | None
    projects: tuple[File, ...]
    profile: File | None
    user: File | None
    system: File | None
    variables: Space
    dotenv: Layer | None

    @property
    def own(self) -> tuple[File, ...]:
        files = (self.managed, self.profile, self.user, self.system)
        return tuple(file for file in files if file is not None)

    @property
    def every(self) -> tuple[File, ...]:
        files = (self.managed, *self.projects, self.profile, self.user, self.system)
        return tuple(file for file in files if file is not None)

    def texts(self, *keys: str) -> tuple[Shadowed[str], ...]:
        """The value in effect, then those behind it."""
        return tuple(text for file in self.own if (text := file.text(*keys)) is not None)

    def models(self) -> tuple[Shadowed[str], ...]:
        return tuple(text for file in self.every if (text := file.text("model")) is not None)

    def names(self, *keys: str) -> tuple[str, ...]:
        """The names in a table that the files fill together."""
        return tuple(dict.fromkeys(name for file in self.own for name in file.table(*keys)))


def home_of(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", machine.home / ".codex")


def layers(files: Files) -> Layers:
    """Reads all but the profiles. Codex does not start with one that does not parse."""
    machine = files.machine
    home = home_of(machine)
    user = files.toml(home / "config.toml", consequence=_NO_START)
    system = files.toml(machine.system("/etc/codex/config.toml"), consequence=_NO_START)
    managed = machine.system("/etc/codex/managed_config.toml")
    dotenv = files.env(home / ".env")
    if dotenv is not None:
        held = {name: one for name, one in dotenv.held.items() if not name.startswith(_OWN)}
        dotenv = Layer(held, tuple(one for one in dotenv.lost if not one.name.startswith(_OWN)))
    return Layers(
        managed=files.toml(managed, consequence=_NO_START),
        projects=tuple(_projects(files, home, user)),
        profile=None,
        user=user,
        system=system,
        variables=Space((*([dotenv] if dotenv else []), *machine.shell.layers)),
        dotenv=dotenv,
    )


def with_profile(usual: Layers, files: Files, name: str) -> Layers:
    """The layers of ``codex --profile NAME``."""
    path = home_of(files.machine) / (name + _PROFILE_END)
    consequence = _("Codex does not start with --profile {name}.", name=visible(name, 60))
    return replace(usual, profile=files.toml(path, consequence=consequence))


def profile_names(machine: Machine) -> tuple[str, ...]:
    """What ``--profile`` may be given: the files beside ``config.toml``."""
    names = names_in(home_of(machine))
    return tuple(n.removesuffix(_PROFILE_END) for n in names if n.endswith(_PROFILE_END))


def _projects(files: Files, home: Path, user: File | None) -> Iterator[File]:
    """Of the working folder and those above it up to the project's root, if they are trusted."""
    if user is None:
        return
    folders = files.machine.upward()
    for folder in folders:
        path = folder / ".codex" / "config.toml"
        if path.parent == home or not (_trusted(folder, user) or _trusted(folders[-1], user)):
            continue
        file = files.toml(path, consequence=_NO_START)
        if file is not None:
            yield file


def _trusted(folder: Path, user: File) -> bool:
    paths = (str(folder), os.path.realpath(folder))
    return any(user.at("projects", path, "trust_level") == "trusted" for path in paths)
