"""The files and variables of Aider. Facts: facts/gateway-clients.md §3.9, observed with 0.86.2.

``.aider.conf.yml`` of the working folder wins over that of the git root and that at home;
``AIDER_…`` variables win over all three. Every ``.env`` is loaded over the shell: that of
``--env-file`` last (the git root's, if nothing says another), before it the working folder's, the
git root's, the one at home, ``~/.aider/oauth-keys.env``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from doctor.clients.files import File, Files
from doctor.clients.held import see, texts
from doctor.clients.machine import Machine
from doctor.connection import Shadowed
from doctor.facts.settings import Role
from doctor.records import dataclass
from doctor.settings.variables import Layer, Space
from doctor.text import _

CONF = ".aider.conf.yml"
_MODELS = ".aider.model.settings.yml"
_FOR_ALL = "aider/extra_params"
_NO_START = _("Aider does not start")
# Variables that an option sets.
_OPTION_OF = {
    "OPENAI_API_KEY": "openai-api-key",
    "ANTHROPIC_API_KEY": "anthropic-api-key",
    "OPENAI_API_BASE": "openai-api-base",
}


@dataclass(frozen=True, slots=True)
class Config:
    """``confs`` and ``models`` are in the order in which they win."""

    confs: tuple[File, ...]
    models: tuple[File, ...]
    space: Space

    def option(self, name: str) -> tuple[Shadowed[str], ...]:
        """The value of ``--name`` in effect, then those behind it."""
        variable = "AIDER_" + name.upper().replace("-", "_")
        found = (file.text(name) for file in self.confs)
        written = (text for text in found if text is not None and text.value)
        return (*texts(self.space, variable), *written)

    def listed(self, name: str) -> Iterator[Shadowed[str]]:
        """The entries of an option that may be given several times, the last one first."""
        for file in self.confs:
            value = file.at(name)
            if isinstance(value, str):
                yield Shadowed(value, file.origin(name))
            elif isinstance(value, list):
                numbers = reversed(range(len(value)))
                yield from (text for n in numbers if (text := file.text(name, n)) is not None)

    def variable(self, name: str) -> tuple[Shadowed[str], ...]:
        """What Aider's own process holds under ``name``, then what that replaced."""
        option = _OPTION_OF.get(name)
        return (
            *(self.option(option) if option is not None else ()),
            *self._pairs("api-key", name),
            *self._pairs("set-env", name),
            *texts(self.space, name),
        )

    def _pairs(self, option: str, name: str) -> Iterator[Shadowed[str]]:
        for entry in self.listed(option):
            left, sign, value = entry.value.partition("=")
            key = f"{left.strip().upper()}_API_KEY" if option == "api-key" else left.strip()
            if sign and key == name and value.strip():
                yield Shadowed(value.strip(), entry.origin)

    def parameters(self, model: str) -> Iterator[tuple[File, tuple[str | int, ...]]]:
        """Where ``extra_params`` for the model stand, those for every model first."""
        for wanted in (_FOR_ALL, model):
            place = next(self._entries(wanted), None)
            if place is not None:
                yield place

    def _entries(self, name: str) -> Iterator[tuple[File, tuple[str | int, ...]]]:
        for file in self.models:
            data = file.document.data
            for number, entry in enumerate(data if isinstance(data, list) else ()):
                if isinstance(entry, dict) and entry.get("name") == name:
                    yield file, (number, "extra_params")


def config(files: Files) -> Config:
    machine = files.machine
    folders = _folders(machine)
    confs = _read(files, [folder / CONF for folder in folders])
    first = Config(confs, (), machine.shell)
    # --env-file may itself come from the configuration, but not from an env file.
    named = next(iter(first.option("env-file")), None)
    root = git_root(machine)
    env_file = (root or machine.cwd) / ".env" if named is None else machine.cwd / named.value
    places = [
        machine.home / ".aider" / "oauth-keys.env",
        *(folder / ".env" for folder in reversed(folders)),
        env_file,
    ]
    layers = list[Layer]()
    for path in dict.fromkeys(reversed(places)):
        layer = files.env(path)
        if layer is not None:
            layers.append(layer)
            _see(files, layer, path)
    space = Space((*layers, *machine.shell.layers))
    extra = next(iter(Config(confs, (), space).option("model-settings-file")), None)
    model_files = [folder / _MODELS for folder in folders]
    if extra is not None:
        model_files.insert(0, machine.cwd / extra.value)
    return Config(confs, _read(files, model_files), space)


def git_root(machine: Machine) -> Path | None:
    """The root of the repository that the working folder lies in."""
    root = Path(str(machine.places.project))
    return root if os.path.exists(root / ".git") else None


def _folders(machine: Machine) -> list[Path]:
    """Working folder, git root, home: nearest first, each once."""
    root = git_root(machine)
    found = [machine.cwd, *([root] if root is not None else []), machine.home]
    return list(dict.fromkeys(found))


def _read(files: Files, paths: list[Path]) -> tuple[File, ...]:
    read = (files.yaml(path, consequence=_NO_START) for path in paths)
    return tuple(file for file in read if file is not None)


def _see(files: Files, layer: Layer, path: Path) -> None:
    see(files, Role.KEY, layer, path, "OPENAI_API_KEY", "ANTHROPIC_API_KEY")
    see(files, Role.BASE_URL, layer, path, "OPENAI_API_BASE", "OPENAI_BASE_URL")
