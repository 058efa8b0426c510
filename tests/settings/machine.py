"""A made-up machine: a home, a working folder with files, an environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from doctor.connection import Connection
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, Sighting
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.target import Target

KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"
OTHER_KEY = "sk-other0up0other0up0other0up0other0up0other0up0ot"


class Machine:
    """``home`` and ``cwd`` exist; nothing else of the real machine is seen."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.cwd = root / "home" / "app"
        self.cwd.mkdir(parents=True)
        self.variables: dict[str, str] = {"HOME": str(self.home)}

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file in the working folder, or below home with ``~/``."""
        path = self.home / name[2:] if name.startswith("~/") else self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def environment(self) -> Environment:
        return Environment(dict(self.variables), "linux", str(self.home), str(self.cwd))

    def discover(
        self,
        files: Mapping[str, str | bytes] | None = None,
        variables: Mapping[str, str] | None = None,
        request: TargetRequest | None = None,
    ) -> Discovery:
        for name, text in (files or {}).items():
            self.write(name, text)
        self.variables |= variables or {}
        return discover(request or TargetRequest(), self.environment())

    def only(
        self,
        files: Mapping[str, str | bytes] | None = None,
        variables: Mapping[str, str] | None = None,
        request: TargetRequest | None = None,
    ) -> Target:
        """The one target that is found."""
        targets = self.discover(files, variables, request).targets
        assert len(targets) == 1, [target.id for target in targets]
        return targets[0]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def key_of(connection: Connection) -> str | None:
    return None if connection.key is None else connection.key.value.reveal()


def sighting(discovery: Discovery, role: Role, name: str) -> Sighting:
    """The one sighting of that role and name."""
    found = [s for s in discovery.settings.sightings if s.role is role and s.name == name]
    assert len(found) == 1, found
    return found[0]
