"""A made-up home, and what is found there; the machine of the tests of settings, with JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doctor.connection import Connection
from doctor.facts.machine import Environment
from doctor.settings.discover import Discovery, TargetRequest, discover
from tests.settings.machine import Machine

Content = str | bytes | Mapping[str, Any]


def found(
    folder: Path,
    files: Mapping[str, Content],
    variables: Mapping[str, str] | None = None,
    *names: str,
    system: bool = False,
    trust_project: bool = False,
) -> Discovery:
    """What a run finds. ``system``: files below "/" lie below ``folder``; ``names`` are asked for.

    Paths are "~/…", "/…" or in the working folder.
    """
    machine = Machine(folder)
    for name, content in files.items():
        text = content if isinstance(content, str | bytes) else json.dumps(content, indent=2)
        if name.startswith("/"):
            path = folder / "root" / name[1:]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        else:
            machine.write(name, text)
    machine.variables |= variables or {}
    root = str(folder / "root") if system else ""
    environment = Environment(
        dict(machine.variables), "linux", str(machine.home), str(machine.cwd), root=root
    )
    return discover(TargetRequest(names=names, trust_project=trust_project), environment)


def only(discovery: Discovery) -> Connection:
    """The connection of the one target."""
    assert len(discovery.targets) == 1, [target.id for target in discovery.targets]
    return discovery.targets[0].connection


def ids(discovery: Discovery) -> list[str]:
    return [target.id for target in discovery.targets]


def fatal(discovery: Discovery) -> list[str]:
    """The settings with which the client does not start."""
    return [one.name for one in discovery.settings.unsupported if one.fatal]
