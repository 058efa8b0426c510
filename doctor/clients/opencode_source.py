"""One settings file of opencode, and what ``{env:X}`` and ``{file:path}`` in it stand for.

opencode fills them in wherever they stand (observed with opencode 1.18.33). A file of the project
may come from a stranger, and must not have a variable or a file of the user sent away by the check
itself: there they are filled in for a key and a header, which then count as the user's, and for
the address where the variable itself is its beginning; anywhere else they stay as they are written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from doctor.clients.files import File, Files, as_secret
from doctor.connection import Origin, OriginKind, Shadowed
from doctor.facts.settings import Role, Sighting, SourceProblem
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings import textfile
from doctor.settings.found import KeyPlace
from doctor.text import _
from doctor.untrusted import visible

NO_START = _("opencode does not start.")
_ENV = Pattern(r"\{env:([^}]*)\}")
_FILE = Pattern(r"\{file:([^}]+)\}")
_LEADING = Pattern(r"\{env:[^}]*\}(?:/[^{}@]*)?")


@dataclass(frozen=True, slots=True)
class Source:
    """A settings file, or the ``variable`` that holds one."""

    file: File
    files: Files
    variable: str = ""

    def at(self, *keys: str | int) -> Any:
        return self.file.at(*keys)

    def origin(self, *keys: str | int) -> Origin:
        if self.variable:
            return Origin(OriginKind.ENVIRONMENT, self.variable)
        return self.file.origin(*keys)

    @property
    def strange(self) -> bool:
        """Whether what it refers to is not to be had for the asking."""
        return self.file.project and not self.files.machine.trusts_project

    def text(self, *keys: str | int) -> Shadowed[str] | None:
        """A value that is neither an address nor a secret."""
        found = self.file.text(*keys)
        if found is None or self.strange:
            return found
        return self._filled(found, self.origin(*keys))

    def address(self, *keys: str | int) -> Shadowed[str] | None:
        found = self.file.text(*keys)
        if found is None or (self.strange and not _LEADING.fullmatch(found.value)):
            return found
        return self._filled(found, self.origin(*keys))

    def secret(self, *keys: str | int) -> Shadowed[str] | None:
        """A key or a header; None also for what may not be looked at."""
        found = self.file.text(*keys)
        return None if found is None else self._filled(found, self.origin(*keys))

    def number(self, *keys: str | int) -> Shadowed[int] | None:
        value = self.file.at(*keys)
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return Shadowed(value, self.origin(*keys))

    def hidden(self, *keys: str | int) -> bool:
        """Whether the value lies in a file that a project's file may not lead to."""
        found = self.file.text(*keys)
        named = [] if found is None else _FILE.findall(found.value)
        return not all(self._may_read(self._path(name)) for name in named)

    def see(self, role: Role, *keys: str | int) -> None:
        """Note the value, or the variable that a key stands in."""
        found = self.file.text(*keys)
        if found is None:
            return
        origin = self.origin(*keys)
        whole = _ENV.fullmatch(found.value)
        if whole is not None and role is Role.KEY:
            named = Sighting(Role.KEY_VARIABLE, origin.name, whole[1], origin, raw=whole[1])
            self.files.found.sightings.append(named)
        if role is Role.BASE_URL:
            self._see_unset(_ENV.findall(found.value), origin)
        if _ENV.search(found.value) or _FILE.search(found.value):
            return
        file = None if self.variable else self.file
        value = Shadowed(found.value, origin)
        self.files.see(file, role, as_secret(value) if role is Role.KEY else value)

    def _see_unset(self, names: list[str], origin: Origin) -> None:
        for name in names:
            held = self.files.machine.variable(name)
            if held is None or not held.value:
                seen = Sighting(Role.BASE_VARIABLE, origin.name, name, origin, raw=name)
                self.files.found.sightings.append(seen)

    def _filled(self, found: Shadowed[str], origin: Origin) -> Shadowed[str] | None:
        """A whole reference has the place of what it stands for; a part of a text that of the
        text, but that of the variable where a stranger wrote the text."""
        variables = [
            held
            for name in _ENV.findall(found.value)
            if (held := self.files.machine.variable(name)) is not None
        ]
        if _ENV.fullmatch(found.value):
            if not variables:
                return Shadowed("", origin)
            return Shadowed(variables[0].value, variables[0].origin)
        whole = _FILE.fullmatch(found.value)
        if whole is not None:
            return self._of_file(whole[1], origin)
        text = found.value
        for name in _FILE.findall(text):
            part = self._of_file(name, origin)
            if part is None:
                return None
            text = text.replace(f"{{file:{name}}}", part.value)
        if variables and self.strange:
            origin = variables[0].origin
        return Shadowed(_ENV.sub(lambda match: self._variable(match[1]), text), origin)

    def _variable(self, name: str) -> str:
        held = self.files.machine.variable(name)
        return "" if held is None else held.value

    def _path(self, written: str) -> Path:
        if written.startswith("~/"):
            return self.files.machine.home / written[2:]
        return self.file.path.parent / written

    def _may_read(self, path: Path) -> bool:
        machine = self.files.machine
        inside = machine.places.in_project(os.path.normpath(path))
        return not self.file.project or inside or machine.trusts_project

    def _of_file(self, written: str, origin: Origin) -> Shadowed[str] | None:
        path = self._path(written)
        if not self._may_read(path):
            return None
        places = self.files.machine.places
        shown = places.shown(os.path.normpath(path))
        try:
            text = textfile.read(path).text.strip()
        except textfile.Unreadable as unreadable:
            message = _("{name}: {why}", name=visible(shown, 200), why=str(unreadable))
            self.files.found.problems.append(
                SourceProblem(
                    origin.path or origin.name, origin.line, message, self.files.client, NO_START
                )
            )
            return None
        self.files.found.key_places.append(KeyPlace(str(path), shown, 1, origin.name))
        project = places.in_project(os.path.normpath(path))
        return Shadowed(text, Origin(OriginKind.FILE, "", shown, 1, project))
