"""One combination of settings, and the program that is run with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .recorder import Recorded, asks_a_model

Content = str | Mapping[str, Any]


@dataclass(frozen=True)
class Program:
    """A client program.

    ``client`` is its id in doctor.clients, ``installed`` the folder below tests/live/clients
    (the same by default). ``command`` starts it; its first part is a path in the installed folder
    (a glob is allowed) or "node"; "{installed}" in the others is that folder. ``variables``
    quieten it (telemetry, updates, retries). ``finish`` seconds are given to it to end by itself
    after its request was recorded, 0 ends it at once; ``patience`` is how long the request may
    take to come.
    """

    client: str
    command: tuple[str, ...]
    installed: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    finish: float = 0.0
    patience: float = 40.0

    @property
    def folder(self) -> str:
        return self.installed or self.client


@dataclass(frozen=True)
class Case:
    """Files, variables and arguments; see the package's text for what may stand in them.

    ``awaited`` picks the request that is compared. ``no_request`` says that the program refuses
    by itself (or its dead proxy does): nothing may be recorded. ``unpredicted`` names parts of the
    comparison that are left out ("model", "max_tokens", "headers"), with the reason as a comment
    at the case.
    """

    name: str
    files: Mapping[str, Content] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    argv: tuple[str, ...] = ()
    cwd: str = "work"
    awaited: Callable[[Recorded], bool] = asks_a_model
    no_request: bool = False
    expects_headers: Mapping[str, str | None] = field(default_factory=dict)
    expects_url: str | None = None
    unpredicted: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.name

    @property
    def of_system(self) -> frozenset[str]:
        """The folders of the system that have files of this case over them ("/etc")."""
        return frozenset("/" + path.split("/")[1] for path in self.files if path[0] == "/")


@dataclass(frozen=True)
class Scene:
    """The folders of a case and what its placeholders stand for. ``system`` holds the files with
    absolute paths."""

    home: Path
    cwd: Path
    system: Path
    values: Mapping[str, str]

    def fill(self, text: str) -> str:
        for name, value in self.values.items():
            text = text.replace("{" + name + "}", value)
        return text

    def place(self, path: str) -> Path:
        """The real path of "~/…", "./…" or "/…"."""
        first, _, rest = path.partition("/")
        return {"~": self.home, ".": self.cwd, "": self.system}[first] / rest

    def write(self, files: Mapping[str, Content]) -> None:
        for path, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content, indent=2)
            real = self.place(path)
            real.parent.mkdir(parents=True, exist_ok=True)
            real.write_bytes(self.fill(text).encode())
