"""What a new user has in hand: a key perhaps, and a client that is to use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from doctor.secrets import Secret

# The gateway whose block is offered where nobody names another server.
USUAL = "taotoken"


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """``clients`` are those that can be set up, by id and name; ``keys`` the variables with a key
    in this shell, each with the masked key; ``usual_key`` the variable of the usual gateway, and
    ``console`` the page on which its keys are made."""

    clients: tuple[tuple[str, str], ...]
    keys: Mapping[str, str]
    usual_key: str
    usual_label: str
    console: str


def first_steps(variables: Mapping[str, str]) -> FirstSteps:
    """By what is known of clients and gateways, and the variables of the shell."""
    from doctor.clients import ids, profile
    from doctor.clients.setup import known
    from doctor.settings.providers import provider, providers

    usual = provider(USUAL)
    names = [name for each in providers() for name in each.key_variables]
    held = {name: variables.get(name, "").strip() for name in dict.fromkeys(names)}
    return FirstSteps(
        clients=tuple((one, profile(one).label) for one in ids() if known(one)),
        keys={name: Secret(value).described for name, value in held.items() if value},
        usual_key=usual.key_variables[0],
        usual_label=usual.label,
        console=usual.console_url or "",
    )
