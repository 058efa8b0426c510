"""Sets a scenario up: its servers on loopback, its files in a temporary home, its environment."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from doctor.facts.machine import Environment

from .http import LoopbackServer
from .scenarios import Scenario, Setup
from .servers import Servers
from .shell import exports

_HOME = "home"
_FOLDER = "app"
STARTUP = ".bashrc"


@dataclass(frozen=True, slots=True)
class Stage:
    """A scenario that runs. ``environment`` is what its user's shell would hold, and nothing of
    the real one; ``servers`` are in the order in which they were opened."""

    scenario: Scenario
    setup: Setup
    environment: Environment
    servers: tuple[LoopbackServer, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """What is typed after ``kvdoctor check``, valid from any folder."""
        folder = Path(self.environment.cwd)
        return tuple(
            str(folder / argument) if argument in self.setup.files else argument
            for argument in self.setup.arguments
        )


@contextlib.asynccontextmanager
async def staged(scenario: Scenario) -> AsyncIterator[Stage]:
    """The scenario, until the block ends: then the servers are closed and the files removed."""
    async with contextlib.AsyncExitStack() as stack:
        servers = Servers(stack)
        setup = await scenario.build(servers)
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="kvdoctor-demo-"))
        environment = furnish(Path(temporary, _HOME), setup)
        yield Stage(scenario, setup, environment, tuple(servers.opened))


def furnish(home: Path, setup: Setup) -> Environment:
    """Make the home with the working folder below it, and write there what the user has: the files,
    and the start-up file that the variables come from, so that a fix can be lasting.

    For the owner's eyes only: a key file that others can read is a fault of its own.
    """
    home = home.resolve()
    folder = home / _FOLDER
    folder.mkdir(parents=True)
    for name, text in setup.files.items():
        _write(folder / name, text)
    if setup.variables:
        text = "\n".join(("# made for the demo", *exports(setup.variables))) + "\n"
        _write(home / STARTUP, text)
    return environment_of(home, setup.variables)


def environment_of(home: Path, variables: Mapping[str, str]) -> Environment:
    """What a shell in the working folder of ``home`` holds, and nothing of the real one."""
    return Environment(
        variables={"HOME": str(home), "SHELL": "/bin/bash", **variables},
        platform=sys.platform,
        home=str(home),
        cwd=str(home / _FOLDER),
    )


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
