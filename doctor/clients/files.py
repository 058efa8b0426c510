"""Reads the files of a client, and notes every value with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from doctor.clients.machine import Machine
from doctor.connection import Origin, OriginKind, Setting, Shadowed, T
from doctor.facts.settings import EnvReader, Role, Sighting, SourceProblem
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings import textfile
from doctor.settings.building import provider_of
from doctor.settings.documents import Document, Malformed, parse_json, parse_toml, parse_yaml
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret
from doctor.settings.variables import Layer, file_layer
from doctor.text import _
from doctor.untrusted import visible

Key = str | int
# Codex notes every folder that it trusts in its settings, Claude Code every command.
_LONGEST = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class File:
    """A settings file that was read. ``path`` is real, ``shown`` for people."""

    path: Path
    shown: str
    project: bool
    document: Document

    def at(self, *keys: Key) -> Any:
        """The value below ``keys`` as it stands, None where there is none."""
        node = self.document.data
        for key in keys:
            if isinstance(node, Mapping) and isinstance(key, str):
                node = node.get(key)
            elif isinstance(node, Sequence) and not isinstance(node, str) and isinstance(key, int):
                node = node[key] if 0 <= key < len(node) else None
            else:
                return None
        return node

    def table(self, *keys: Key) -> Mapping[str, Any]:
        """The mapping below ``keys``; empty where there is none."""
        node = self.at(*keys)
        return node if isinstance(node, Mapping) else {}

    def origin(self, *keys: Key) -> Origin:
        """Where the value below ``keys`` stands."""
        name = visible(".".join(str(key) for key in keys))
        line = self.document.line(tuple(keys))
        return Origin(OriginKind.FILE, name, self.shown, line, self.project)

    def text(self, *keys: Key) -> Shadowed[str] | None:
        """A text or a number as text, with its place."""
        value = self.at(*keys)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        return Shadowed(str(value), self.origin(*keys))

    def number(self, *keys: Key) -> Shadowed[int] | None:
        """A whole number, also as text."""
        found = self.text(*keys)
        return None if found is None else _number(found)

    def secret(self, *keys: Key) -> Shadowed[Secret] | None:
        """A key, empty ones included."""
        found = self.text(*keys)
        return None if found is None else Shadowed(Secret(found.value), found.origin)


class Files:
    """The files of one client. What does not parse becomes a problem with its place."""

    def __init__(self, machine: Machine, client: str, found: Found) -> None:
        self.machine = machine
        self.client = client
        self.found = found

    def json(
        self,
        path: Path,
        *,
        strict: bool = False,
        consequence: str = "",
        parse: Callable[[str], Document] = parse_json,
    ) -> File | None:
        """JSON; ``strict`` is for programs that bear no comments. None: missing or unreadable.

        ``parse`` is for a dialect of a program's own; it raises ``Malformed``.
        """
        read = self._read(path, parse, consequence)
        if read is None or not strict or read.document.strict:
            return read
        self._problem(read.shown, None, "comments or trailing commas in strict JSON", consequence)
        return None

    def toml(self, path: Path, *, consequence: str = "") -> File | None:
        return self._read(path, parse_toml, consequence)

    def yaml(self, path: Path, *, consequence: str = "") -> File | None:
        return self._read(path, parse_yaml, consequence)

    def env(self, path: Path, reader: EnvReader = EnvReader.DOTENV) -> Layer | None:
        """An env file by the rules of ``reader``; None where there is none."""
        source = self._source(path, "")
        if source is None:
            return None
        from doctor.settings.envfile import read_env_file

        shown = self.machine.places.shown(str(path))
        read = read_env_file(
            source,
            shown,
            self.machine.environment.variables,
            project=self.machine.places.in_project(str(path)),
            readers=(reader,),
        )
        known = {real for real, _file in self.found.env_files}
        if str(path) not in known:
            self.found.env_files.append((str(path), read.file))
        return file_layer(read, reader)

    def see(
        self, file: File | None, role: Role, value: Shadowed[str] | Shadowed[Secret] | None
    ) -> None:
        """As the function ``see``."""
        see(self.found, file, role, value)

    def _read(self, path: Path, parse: Callable[[str], Document], consequence: str) -> File | None:
        source = self._source(path, consequence)
        if source is None:
            return None
        shown = self.machine.places.shown(str(path))
        if not source.text.strip("\ufeff \t\r\n"):
            return File(path, shown, False, Document({}, {}))
        try:
            document = parse(source.text)
        except Malformed as malformed:
            self._problem(shown, malformed.line, malformed.message, consequence)
            return None
        return File(path, shown, self.machine.places.in_project(str(path)), document)

    def _source(self, path: Path, consequence: str) -> textfile.TextFile | None:
        try:
            # YAML takes twenty times as long to parse as the others.
            slow = path.suffix in (".yaml", ".yml")
            read = textfile.read(path, textfile.LIMIT if slow else _LONGEST)
        except textfile.TooLarge as large:
            # Its own program reads it, so nothing is wrong with it.
            place, why = self.machine.places.shown(str(path)), str(large)
            self.found.note([_("{place} is {why} and was not read", place=place, why=why)])
            return None
        except textfile.Unreadable as unreadable:
            if textfile.exists(path):
                self._unreadable(path, str(unreadable), consequence)
            return None
        self.found.taken.add(str(path))
        return read

    def _unreadable(self, path: Path, why: str, consequence: str) -> None:
        """A folder that may not be entered is told once, by the first that was looked for in it."""
        folder = textfile.shut_folder(path)
        shown = self.machine.places.shown(str(path if folder is None else folder))
        told = any(p.path == shown and p.client == self.client for p in self.found.problems)
        if folder is None or not told:
            self._problem(shown, None, why, consequence)

    def _problem(self, shown: str, line: int | None, message: str, consequence: str) -> None:
        problem = SourceProblem(shown, line, message, self.client, consequence)
        if problem not in self.found.problems:
            self.found.problems.append(problem)


def see(
    found: Found, file: File | None, role: Role, value: Shadowed[str] | Shadowed[Secret] | None
) -> None:
    """Note that ``value`` stands there, in effect or not; a key also as one that a file holds.

    ``file`` is None for what is no file of this client (a variable of the shell).
    """
    if value is None:
        return
    held = value.value
    text = held.reveal() if isinstance(held, Secret) else held
    provider = provider_of(text) if role is Role.BASE_URL else None
    found.sightings.append(
        Sighting(
            role,
            value.origin.name,
            held,
            value.origin,
            raw=held,
            provider=provider.id if provider else None,
        )
    )
    if file is not None and role is Role.KEY and is_real_secret(text):
        place = KeyPlace(str(file.path), file.shown, value.origin.line, value.origin.name)
        found.key_places.append(place)


def _number(found: Shadowed[str]) -> Shadowed[int] | None:
    try:
        return Shadowed(int(found.value), found.origin)
    except ValueError:
        return None


def chosen(*values: Shadowed[T] | None) -> Setting[T] | None:
    """The first value that is there, shadowing those behind it."""
    there = [value for value in values if value is not None]
    if not there:
        return None
    return Setting(there[0].value, there[0].origin, tuple(there[1:]))


def as_secret(value: Shadowed[str] | None) -> Shadowed[Secret] | None:
    """A value that turned out to be a key."""
    return None if value is None else Shadowed(Secret(value.value), value.origin)
