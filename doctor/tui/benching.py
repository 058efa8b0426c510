"""What the bench screens ask of the world outside: whom to load, the load, and runs that are kept.

They know this protocol only, so a scripted one stands in for servers in tests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from doctor.bench.progress import Event
from doctor.bench.running import Run
from doctor.bench.scenario import Scenario
from doctor.bench.stop import Stop
from doctor.text import Text

Heard: TypeAlias = Event | Run


@dataclass(frozen=True, slots=True)
class Whom:
    """The server that would be asked. ``model`` is "" where no setting names one, ``refused`` says
    why no load may be put on it. ``words`` lead ``kvdoctor bench`` to the same server."""

    label: str
    url: str
    model: str = ""
    words: tuple[str, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be sent. ``model`` "" is the configured one, or the only one that is served."""

    scenario: Scenario
    model: str = ""


class Benching(Protocol):
    """A benchmark of one target."""

    async def whom(self) -> Whom:
        """Who would be asked, by the settings alone. Raises ``Trouble``."""
        ...

    def question(self, scenario: Scenario) -> Text | None:
        """What it would spend at somebody else's server; None where the server is one of the own
        network. ``whom`` was asked before."""
        ...

    def run(self, wanted: Wanted, stop: Stop) -> AsyncIterator[Heard]:
        """Puts the load on; the last that is heard is the run. Raises ``Trouble`` where nothing is
        measured. ``whom`` was asked before."""
        ...

    async def kept(self) -> list[tuple[str, Run]]:
        """All kept runs by name, oldest first."""
        ...

    async def keep(self, run: Run, name: str, *, replace: bool) -> None:
        """Raises ``RunError``; ``NameTaken`` unless ``replace``."""
        ...
