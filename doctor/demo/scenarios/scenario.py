"""What a scenario declares: servers, the setup that a user has, and what is broken in truth."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from doctor.demo.servers import Servers
from doctor.secrets import Secret
from doctor.text import Text


class Area(enum.StrEnum):
    """The first six are the areas of the checks that are meant to find the fault; those of an
    engine are ``prefix``, ``memory`` and ``launch``."""

    CREDENTIALS = "credentials"
    ENDPOINT = "endpoint"
    NETWORK = "network"
    RESPONSE = "response"
    TOKENS = "tokens"
    ENGINE = "engine"
    COMBINED = "combined"
    HEALTHY = "healthy"


@dataclass(frozen=True, slots=True)
class Setup:
    """What is found on the machine of a user.

    ``variables`` are those of the shell; ``files`` lie in the working folder. ``arguments`` are
    what the user types after ``kvdoctor check``. ``right`` names the settings to change with the
    values that are right, by the names of ``SettingName``.
    """

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    arguments: tuple[str, ...] = ()
    right: Mapping[str, str | int | Secret] = field(default_factory=dict)


Build = Callable[[Servers], Awaitable[Setup]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """``broken`` says in one sentence what is broken, ``codes`` what is to be found.

    ``codes`` are the root causes where the request fails, else all findings: with ``answers`` it
    is answered, and something is wrong all the same. ``proved`` tells whether a repair of the
    settings makes the request answer.
    """

    name: str
    area: Area
    broken: Text
    build: Build
    codes: tuple[str, ...] = ()
    proved: bool = False
    answers: bool = False

    @property
    def healthy(self) -> bool:
        return not self.codes
