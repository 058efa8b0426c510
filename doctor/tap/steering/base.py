"""What the rules for one client are given, and what they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from doctor.clients.machine import Machine
from doctor.clients.surroundings import environment_of
from doctor.connection import Connection
from doctor.facts.machine import Environment
from doctor.proxyrules.variables import Variables
from doctor.records import dataclass
from doctor.settings.carried import of_address
from doctor.settings.discover import Discovery, project_root
from doctor.settings.places import Places
from doctor.tap.origins import LOOPBACK
from doctor.text import Text, _


class CannotSteer(Exception):
    """The program's traffic cannot be led here; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A base URL of the program's that is to lead to a listener.

    ``id`` is short and unique; ``name`` is where the program has it: a variable, a provider.
    ``connection`` is what it makes of it, as far as that is known. ``refusal`` is the reason why
    it is not led.
    """

    id: str
    name: str
    base: str
    connection: Connection | None = None
    refusal: Text | str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """``command`` is the user's, empty where none is to be run; ``own`` is the index of the
    first argument that is the program's own. ``found`` are the targets of the client.
    ``trusts_project`` lets a file of the working folder choose where a key goes (DESIGN §6.4)."""

    command: tuple[str, ...]
    own: int
    environment: Environment
    found: Discovery
    trusts_project: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.command[self.own :]

    def option(self, *names: str) -> str | None:
        """The last value that the command gives an option ("-m", "--model")."""
        found: str | None = None
        words = self.arguments
        for number, word in enumerate(words):
            name, equals, value = word.partition("=")
            if name in names:
                following = words[number + 1] if number + 1 < len(words) else None
                found = value if equals else following
        return found

    def with_arguments(self, *words: str) -> tuple[str, ...]:
        """The command with ``words`` before the program's own arguments."""
        return (*self.command[: self.own], *words, *self.arguments) if self.command else ()


@dataclass(frozen=True, slots=True)
class Launch:
    """How the program is started. ``arguments`` are what a user would add by hand, ``variables``
    are set over those of the environment; ``notes`` say what does not come through."""

    command: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    notes: tuple[Text | str, ...] = ()


# The new base URLs by the ids of their leads.
Led = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Steering:
    """``leads`` finds the bases of the program (raises ``CannotSteer``), ``launch`` says how it is
    started once each has a listener."""

    leads: Callable[[Scene], tuple[Lead, ...]]
    launch: Callable[[Scene, tuple[Lead, ...], Led], Launch]


def for_a_command_line(base: str) -> str:
    """``base``, where every user of the machine may read it.

    Raises ``CannotSteer`` where it holds a login or a key.
    """
    if any(True for _secret in of_address(base)):
        raise CannotSteer(
            _("the base URL holds a secret, which would have to be told on a command line")
        )
    return base


def machine_of(environment: Environment) -> Machine:
    """The machine as discovery sees it, with the project that the working folder lies in."""
    root = project_root(Path(environment.cwd), environment.home)
    places = Places.of(environment, None if root is None else str(root))
    return Machine.of(environment, places)


_PROXIED = ("http", "https", "all")


def past_proxies(connection: Connection | None, environment: Environment) -> dict[str, str]:
    """The variables that keep loopback from the program's proxy; empty where it has none.

    Exact names in both cases of the variable are what every HTTP library takes
    (facts/gateway-clients.md §2.5).
    """
    if connection is not None:
        environment = environment_of(connection, environment)
    variables = Variables(environment)
    names = [name for one in _PROXIED for name in (f"{one}_proxy", f"{one}_proxy".upper())]
    if variables.first_set(*names) is None and not environment.system_proxies:
        return {}
    held = variables.first_set("no_proxy", "NO_PROXY")
    entries = [] if held is None else [entry.strip() for entry in held.value.split(",")]
    wanted = [entry for entry in (LOOPBACK, "localhost") if entry not in entries]
    value = ",".join([*filter(None, entries), *wanted])
    return {"NO_PROXY": value, "no_proxy": value}
