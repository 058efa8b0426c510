"""Targets of ``kvdoctor.toml``: where the files lie, and the connections that they describe."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from doctor.connection import AuthHeader, Connection, Origin, OriginKind, Setting
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, Sighting
from doctor.secrets import Secret
from doctor.settings import textfile
from doctor.settings.building import OPENAI_SDK, connection, provider_of
from doctor.settings.candidates import Candidate
from doctor.settings.errors import ConfigError
from doctor.settings.found import Found, KeyPlace
from doctor.settings.ignore import IgnoreRule
from doctor.settings.keyfile import read_key_file
from doctor.settings.names import is_real_secret, looks_like_key
from doctor.settings.places import Places
from doctor.settings.variables import Space
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible

if TYPE_CHECKING:
    from doctor.settings.kvdoctor_toml import KvdoctorToml, TomlTarget

NAME = "kvdoctor.toml"

_SIGHTED = {
    "base_url": Role.BASE_URL,
    "key": Role.KEY,
    "key_env": Role.KEY_VARIABLE,
    "model": Role.MODEL,
    "max_tokens": Role.MAX_TOKENS,
    "timeout": Role.TIMEOUT,
}


def config_folder(environment: Environment) -> Path:
    """The user's own folder for settings, as each system has it (and platformdirs says it)."""
    variables = environment.variables
    home = Path(environment.home)
    if environment.platform == "win32":
        return Path(variables.get("LOCALAPPDATA") or home / "AppData/Local") / "kvdoctor"
    if variables.get("XDG_CONFIG_HOME"):
        return Path(variables["XDG_CONFIG_HOME"]) / "kvdoctor"
    if environment.platform == "darwin":
        return home / "Library/Application Support/kvdoctor"
    return home / ".config/kvdoctor"


def read_tomls(environment: Environment, places: Places, root: Path | None) -> list[KvdoctorToml]:
    """The nearest ``kvdoctor.toml`` from the working folder up to the git root, then the user's.

    Without a git root only the working folder counts: above it lie folders that anybody may
    write to. Raises ``ConfigError``.
    """
    cwd = Path(environment.cwd)
    folders = [cwd]
    if root is not None:
        folders += [parent for parent in cwd.parents if parent.is_relative_to(root)]
    nearest = next((folder for folder in folders if textfile.exists(folder / NAME)), None)
    found = [] if nearest is None else [_read(nearest, places)]
    own = config_folder(environment)
    if own != nearest and textfile.exists(own / NAME):
        found.append(_read(own, places))
    return found


def _read(folder: Path, places: Places) -> KvdoctorToml:
    from doctor.settings.kvdoctor_toml import parse

    path = str(folder / NAME)
    shown = places.shown(path)
    try:
        source = textfile.read(folder / NAME)
    except textfile.Unreadable as unreadable:
        raise ConfigError(str(unreadable), shown) from None
    return parse(source.text, folder, shown, project=places.in_project(path))


def toml_targets(
    tomls: list[KvdoctorToml], space: Space, places: Places
) -> tuple[Found, tuple[IgnoreRule, ...]]:
    """The targets of all files. Of two with one name the user's own wins over a project's, since
    a project must not take over a name that the user asks for. Raises ``ConfigError``."""
    found = Found()
    owned = {target.name for toml in tomls if not toml.project for target in toml.targets}
    named = {target.name: (toml, target) for toml in reversed(tomls) for target in toml.targets}
    named |= {t.name: (toml, t) for toml in tomls if not toml.project for t in toml.targets}
    for toml in tomls:
        for target in toml.targets:
            if toml.project and target.name in owned:
                found.note(
                    [
                        _(
                            "targets.{name} in {path} is not used: your own kvdoctor.toml has one",
                            name=target.name,
                            path=toml.shown,
                        )
                    ]
                )
                continue
            engine = _engine_of(toml, target, named)
            behind = None if engine is None else _Reader(*engine, space, places)
            _Reader(toml, target, space, places).read(found, behind)
    return found, tuple(rule for toml in tomls for rule in toml.ignores)


def _engine_of(
    toml: KvdoctorToml, target: TomlTarget, named: Mapping[str, tuple[KvdoctorToml, TomlTarget]]
) -> tuple[KvdoctorToml, TomlTarget] | None:
    """The target that ``engine`` names; None where there is none, or a URL in its place."""
    name = target.values.get("engine")
    if name is None or "://" in name:
        return None
    if name in named and name != target.name:
        return named[name]
    near = nearest(name, [known for known in named if known != target.name])
    text = (
        _("no target is called '{name}'; the nearest is '{near}'", name=visible(name), near=near)
        if near
        else _("'engine' must be a URL or the name of another target: '{name}'", name=visible(name))
    )
    raise ConfigError(text, toml.shown, target.lines.get("engine"))


class _Reader:
    def __init__(
        self, toml: KvdoctorToml, target: TomlTarget, space: Space, places: Places
    ) -> None:
        self.toml = toml
        self.target = target
        self.values: Mapping[str, object] = target.values
        self.space = space
        self.places = places

    def origin(self, key: str) -> Origin:
        name = f"targets.{self.target.name}.{key}"
        line = self.target.lines.get(key)
        return Origin(OriginKind.FILE, name, self.toml.shown, line, self.toml.project)

    def read(self, found: Found, behind: _Reader | None) -> None:
        made = self.connection()
        provider = provider_of(made.base_url.value)
        for key, role in _SIGHTED.items():
            if key not in self.values:
                continue
            text = str(self.values[key])
            hidden = role is Role.KEY or (role is Role.KEY_VARIABLE and looks_like_key(text))
            held: str | Secret = Secret(text) if hidden else text
            origin = self.origin(key)
            found.sightings.append(
                Sighting(role, origin.name, held, origin, held, provider.id if provider else None)
            )
            if hidden and is_real_secret(text):
                path = str(self.toml.folder / NAME)
                found.key_places.append(KeyPlace(path, self.toml.shown, origin.line, origin.name))
        if "key_file" in self.values:
            path = str(self._absolute(str(self.values["key_file"])))
            found.key_places.append(KeyPlace(path, self.places.shown(path), None, "key_file"))
        found.candidates.append(
            Candidate(
                id=self.target.name,
                label=self.target.name,
                connection=made,
                kind=str(self.values.get("kind", "gateway")),
                engine=self._engine(behind),
                launch=self._launch(),
                origins=frozenset(self.origin(key) for key in _SIGHTED if key in self.values),
            )
        )

    def connection(self) -> Connection:
        """What a client would use for a request to this target. Raises ``ConfigError``."""
        base = Setting(str(self.values["base_url"]), self.origin("base_url"))
        auth = self.values.get("auth")
        budget = self.values.get("max_tokens")
        made = connection(
            self.target.client,
            base,
            self._key(),
            protocol=self.target.protocol,
            model=self._text("model"),
            max_tokens=Setting(budget, self.origin("max_tokens"))
            if isinstance(budget, int)
            else None,
            auth=Setting(AuthHeader(str(auth)), self.origin("auth")) if auth else None,
        )
        timeout = self.values.get("timeout")
        return dataclasses.replace(
            made,
            proxy=self._text("proxy") or made.proxy,
            ca_bundle=self._path("ca_bundle"),
            timeout=float(timeout) if isinstance(timeout, int | float) else made.timeout,
            stream=bool(self.values.get("stream", made.stream)),
        )

    def _engine(self, behind: _Reader | None) -> Connection | None:
        """The way to the engine behind this target; without a key where only its URL is said."""
        if behind is not None:
            return behind.connection()
        base = self._text("engine")
        return None if base is None else connection(OPENAI_SDK, base, None)

    def _launch(self) -> str | None:
        text = self._path("launch")
        return None if text is None else text.value

    def _text(self, key: str) -> Setting[str] | None:
        value = self.values.get(key)
        return None if value is None else Setting(str(value), self.origin(key))

    def _path(self, key: str) -> Setting[str] | None:
        text = self._text(key)
        return None if text is None else Setting(str(self._absolute(text.value)), text.origin)

    def _absolute(self, path: str) -> Path:
        home = self.space.get("HOME") or self.space.get("USERPROFILE")
        if path.startswith("~/") and home is not None:
            return Path(home.value) / path[2:]
        return self.toml.folder / path

    def _key(self) -> Setting[Secret] | None:
        if "key" in self.values:
            return Setting(Secret(str(self.values["key"])), self.origin("key"))
        if "key_env" in self.values:
            held = self.space.get(str(self.values["key_env"]))
            return None if held is None else Setting(Secret(held.value), held.origin)
        if "key_file" in self.values:
            name = str(self.values["key_file"])
            path = str(self._absolute(name))
            # The file decides whose key it is, not the one that names it.
            origin = dataclasses.replace(
                self.origin("key_file"),
                path=self.places.shown(path),
                line=None,
                project=self.places.in_project(path),
            )
            try:
                return Setting(read_key_file(Path(path)), origin)
            except textfile.Unreadable as unreadable:
                text = _("key_file {name}: {reason}", name=name, reason=str(unreadable))
                line = self.target.lines.get("key_file")
                raise ConfigError(text, self.toml.shown, line) from None
        return None
