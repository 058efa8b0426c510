"""Values in a file that are taken from the process environment (``KEY=${OPENAI_API_KEY}``).

A project's file may refer to the user's variables. What it refers to stays the user's: a key that
is borrowed in this way keeps the origin of the variable, so that the rule about project files
(DESIGN §6.4) sees whose it is, and a secret that is woven into something else (an address, say) is
not followed at all. Told apart by reading the file three times: with the whole environment,
without its secrets, and without any of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from doctor.connection import Origin, OriginKind
from doctor.facts.settings import Role
from doctor.settings.names import is_secret_name, looks_like_key, understood


def public(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what may be secret."""
    return {
        name: value
        for name, value in environment.items()
        if not is_secret_name(name) and not looks_like_key(value)
    }


def true_origin(
    origin: Origin,
    name: str,
    value: str,
    *,
    own: str | None,
    without_secrets: str | None,
    environment: Mapping[str, str],
) -> Origin | None:
    """Where ``value``, read at ``origin`` for variable ``name``, really comes from.

    ``own`` and ``without_secrets`` are what is read there without any of ``environment``, and
    without its secrets. None: it weaves a secret into something else.
    """
    if value == own or not value:
        return origin
    whole = [known for known, text in environment.items() if text == value]
    if whole:
        return Origin(OriginKind.ENVIRONMENT, name if name in whole else whole[0])
    if value != without_secrets:
        return None
    meaning = understood(name)
    if meaning is not None and meaning.role is Role.KEY:
        return dataclasses.replace(origin, project=False)
    return origin
