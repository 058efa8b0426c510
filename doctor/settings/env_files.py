"""The env files that matter here, and the variable spaces in which programs see them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from doctor.facts.machine import Environment
from doctor.facts.settings import EnvReader, Role, SourceProblem
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings import textfile
from doctor.settings.borrowed import public
from doctor.settings.env_readers import on_host_network, readers_in
from doctor.settings.errors import ConfigError
from doctor.settings.found import Found, KeyPlace
from doctor.settings.installed import dotenv_since_1_2_3
from doctor.settings.names import is_real_secret, looks_like_key, speaks_of_models, understood
from doctor.settings.places import Places
from doctor.settings.request import ENV_READERS, TargetRequest
from doctor.settings.variables import Layer, Space, environment_layer, file_layer
from doctor.text import _
from doctor.untrusted import visible

if TYPE_CHECKING:
    from doctor.settings.compose_files import Outer, Service
    from doctor.settings.envfile import ReadEnvFile

_DEFAULT = ".env"
# Read only where there is no .env: Node's tools lay it over .env, Python's read what they are told.
_LOCAL = ".env.local"


@dataclass(slots=True)
class Spaces:
    """``own`` is what a program started here sees; ``containers`` are what programs in containers
    see; ``key_places`` and the env files are in ``found``."""

    own: Space
    containers: list[Space] = field(default_factory=list)
    found: Found = field(default_factory=Found)


def spaces(request: TargetRequest, environment: Environment, places: Places) -> Spaces:
    """Read the env files by the rules of those who read them. Raises ``ConfigError`` for a named
    file that cannot be read."""
    reader = _Reader(environment, places)
    if request.env_file is not None:
        return reader.named(request.env_file, ENV_READERS[request.env_reader or "dotenv"])
    return reader.discovered()


class _Reader:
    def __init__(self, environment: Environment, places: Places) -> None:
        self.environment = environment
        self.places = places
        self.cwd = Path(environment.cwd)
        self.shell = environment_layer(environment.variables)
        self.new_dotenv = dotenv_since_1_2_3(self.cwd, environment.variables)
        self.found = Found()

    def named(self, name: str, reader: EnvReader) -> Spaces:
        path = self.cwd / Path(name).expanduser()
        try:
            # The user named it, so it is not a stranger's file.
            read = self._read(path, {reader}, trusted=True)
        except textfile.Unreadable as unreadable:
            reason = str(unreadable)
            raise ConfigError(_("--env-file {name}: {reason}", name=name, reason=reason)) from None
        layer = file_layer(read, reader)
        self._complain(read, [reader])
        if reader is EnvReader.DOTENV:
            return Spaces(Space((self.shell, layer)), found=self.found)
        if reader is EnvReader.SHELL:
            return Spaces(Space((layer, self.shell)), found=self.found)
        return Spaces(Space((layer,), in_container=True), found=self.found)

    def discovered(self) -> Spaces:
        readers = readers_in(self.cwd)
        composed = self._services()
        for service in composed:
            for path in service.env_files:
                readers.setdefault(_absolute(path), set()).add(EnvReader.COMPOSE)
        default = _absolute(self.cwd / _DEFAULT)
        if not os.path.isfile(default):
            default = _absolute(self.cwd / _LOCAL)
        if os.path.isfile(default):
            readers.setdefault(default, set())
        read: dict[Path, ReadEnvFile] = {}
        for path, who in sorted(readers.items()):
            try:
                read[path] = self._read(path, who)
            except textfile.Unreadable as unreadable:
                if textfile.exists(path):
                    shown = self.places.shown(str(path))
                    self.found.problems.append(SourceProblem(shown, None, str(unreadable)))
                continue
            self._complain(read[path], who or {EnvReader.DOTENV})
        own = self._own(read.get(default), readers.get(default, set()))
        dockers = [path for path in read if EnvReader.DOCKER in readers[path]]
        on_host = on_host_network(self.cwd) if dockers else set()
        containers = [
            self._of_docker(read[path], on_host=_absolute(path) in on_host) for path in dockers
        ]
        containers += [self._of_service(service, read) for service in composed]
        return Spaces(own, containers, self.found)

    def _services(self) -> list[Service]:
        names = textfile.names_in(self.cwd)
        if not any(name.startswith(("compose.", "docker-compose.")) for name in names):
            return []
        from doctor.settings.compose_files import services

        return services(self.cwd, self.places, self._outer(), self.found)

    def _outer(self) -> Outer:
        from doctor.settings.compose_files import Outer
        from doctor.settings.envfile import read_env_file

        shell = self.environment.variables
        safe = public(shell)
        try:
            source = textfile.read(self.cwd / _DEFAULT)
        except textfile.Unreadable:
            return Outer(shell, shell, {}, safe)
        read = read_env_file(source, _DEFAULT, shell)
        whole, own, without_secrets = (
            {known.name: known.value for known in readings[EnvReader.COMPOSE].assignments}
            for readings in (read.readings, read.own, read.without_secrets)
        )
        return Outer(shell, {**whole, **shell}, own, {**without_secrets, **safe})

    def _own(self, read: ReadEnvFile | None, readers: set[EnvReader]) -> Space:
        if read is None:
            return Space((self.shell,))
        if not readers or EnvReader.DOTENV in readers:
            return Space((self.shell, file_layer(read, EnvReader.DOTENV)))
        if EnvReader.SHELL in readers:
            return Space((file_layer(read, EnvReader.SHELL), self.shell))
        return Space((self.shell,))

    def _of_docker(self, read: ReadEnvFile, *, on_host: bool) -> Space:
        return Space(
            (file_layer(read, EnvReader.DOCKER),),
            suffix="docker",
            label=f"{read.file.path} (docker)",
            in_container=not on_host,
        )

    def _of_service(self, service: Service, read: Mapping[Path, ReadEnvFile]) -> Space:
        layers: list[Layer] = []
        for path in reversed(service.env_files):
            one = read.get(_absolute(path))
            if one is not None:
                layers.append(file_layer(one, EnvReader.COMPOSE))
        return service.space(layers)

    def _read(
        self, path: Path, readers: Iterable[EnvReader], *, trusted: bool = False
    ) -> ReadEnvFile:
        # The rules of every reader, which only a machine with such a file needs.
        from doctor.settings.envfile import read_env_file

        source = textfile.read(path)
        shown = self.places.shown(str(path))
        read = read_env_file(
            source,
            shown,
            self.environment.variables,
            project=not trusted and self.places.in_project(str(path)),
            readers=tuple(sorted(readers)),
            dotenv_since_1_2_3=self.new_dotenv,
        )
        self.found.env_files.append((str(path), read.file))
        self._keys(path, read)
        return read

    def _keys(self, path: Path, read: ReadEnvFile) -> None:
        for line in read.file.lines:
            raw = line.raw.reveal() if isinstance(line.raw, Secret) else line.raw
            meaning = understood(line.name)
            about_models = meaning is not None and bool(
                meaning.provider or not meaning.prefix or speaks_of_models(meaning.prefix)
            )
            is_key = meaning is not None and meaning.role is Role.KEY and about_models
            if (is_key or looks_like_key(raw)) and is_real_secret(raw):
                place = KeyPlace(str(path), read.file.path, line.number, line.name)
                self.found.key_places.append(place)

    def _complain(self, read: ReadEnvFile, readers: Iterable[EnvReader]) -> None:
        for reader in readers:
            reading = read.readings[reader]
            if reading.refusal is not None:
                text = _("{reader}: {reason}", reader=reader.value, reason=visible(reading.refusal))
                problem = SourceProblem(read.file.path, reading.refusal_line, text)
                self.found.problems.append(problem)


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path))
