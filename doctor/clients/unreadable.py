"""Clients whose settings cannot be read from outside: the user says the address, kvdoctor knows how
the client makes a request of it."""

from __future__ import annotations

from doctor.settings.errors import ConfigError
from doctor.text import _


def say_the_address(label: str, where: str, client: str) -> ConfigError:
    """``where`` is the place of the settings, for a user who named the client alone."""
    return ConfigError(
        _(
            "{label} keeps its settings in {where}, which kvdoctor cannot read: say the address"
            " with --base-url URL --client {client}",
            label=label,
            where=where,
            client=client,
        )
    )
