"""Broken setups of the kind that users have, one tuple per area.

Each is data and a builder: it opens servers, and says what a user's shell and files hold.
"""

from __future__ import annotations

from .scenario import Area, Scenario, Setup

DEFAULT = "triple-fault"


def scenarios() -> tuple[Scenario, ...]:
    """All of them, the combined ones first."""
    from . import combined, credentials, endpoint, engine, healthy, network, response, tokens

    areas = (combined, credentials, endpoint, network, response, tokens, engine, healthy)
    return tuple(scenario for area in areas for scenario in area.SCENARIOS)


def find(name: str) -> Scenario:
    """By name. Raises ``KeyError``."""
    for scenario in scenarios():
        if scenario.name == name:
            return scenario
    raise KeyError(name)


__all__ = ["DEFAULT", "Area", "Scenario", "Setup", "find", "scenarios"]
