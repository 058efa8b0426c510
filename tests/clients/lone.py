"""A made-up home with the files of one client, and what the client's module makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doctor.clients.configured import configured, named
from doctor.clients.machine import Machine
from doctor.clients.prediction import Prediction, predict
from doctor.connection import Connection
from doctor.facts.machine import Environment
from doctor.settings.found import Found
from doctor.settings.places import Places

KEY, OTHER_KEY = "sk-made-up-000000000000000000", "sk-made-up-other-0000000000000"
BASE = "http://127.0.0.1:8000"


class LoneHome:
    """Paths are below home with "~/", else below the working folder, which lies in home."""

    def __init__(self, root: Path, client: str) -> None:
        self.client = client
        self.home = root / "home"
        self.cwd = self.home / "work"
        self.cwd.mkdir(parents=True)
        self.root = root / "system"
        self.variables: dict[str, str] = {}
        self.platform = "linux"

    def write(self, path: str, content: str | bytes | Mapping[str, Any] | list[Any]) -> Path:
        real = self.home / path[2:] if path.startswith("~/") else self.cwd / path
        real.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            real.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=1)
            real.write_text(text, encoding="utf-8")
        return real

    @property
    def environment(self) -> Environment:
        home, cwd = str(self.home), str(self.cwd)
        return Environment(self.variables, self.platform, home, cwd, root=str(self.root))

    @property
    def machine(self) -> Machine:
        return Machine.of(self.environment, Places.of(self.environment))

    def found(self) -> Found:
        """As for a user who names the client."""
        return named(self.client, self.machine)

    def discovered(self) -> Found:
        """As for one who does not."""
        return configured(self.machine)

    def connection(self) -> Connection:
        [candidate] = self.found().candidates
        return candidate.connection

    def sent(self) -> Prediction:
        return predict(self.connection(), self.environment)

    def auth(self) -> dict[str, str | None]:
        held = self.sent().auth
        return {name: None if value is None else value.reveal() for name, value in held.items()}


def all_texts(found: Found) -> str:
    """Everything that was found, as a report or a crash could show it."""
    return repr(found)
