"""The environment of a client that brings variables of its own (settings, an env file)."""

from __future__ import annotations

from dataclasses import replace

from doctor.connection import Connection
from doctor.facts.machine import Environment


def environment_of(connection: Connection, environment: Environment) -> Environment:
    """The environment with the variables that the client sets for itself."""
    if not connection.variables:
        return environment
    own = {name: setting.value for name, setting in connection.variables.items()}
    return replace(environment, variables={**environment.variables, **own})
