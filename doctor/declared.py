"""What files declare about the deployment that a connection leads to. Pure."""

from __future__ import annotations

from doctor.connection import Connection
from doctor.facts.settings import Role, Settings


def files_of(connection: Connection, settings: Settings) -> frozenset[str]:
    """The files that this connection takes a value from, and those that name its model.

    A file that names other models only declares their limits.
    """
    used = {
        setting.origin.path
        for setting in (
            connection.base_url,
            connection.key,
            connection.model,
            connection.max_tokens,
        )
        if setting is not None
    }
    model = connection.model.value if connection.model else None
    named: dict[str, set[str]] = {}
    for sighting in settings.sightings:
        if sighting.role is Role.MODEL and sighting.origin.path and isinstance(sighting.value, str):
            named.setdefault(sighting.origin.path, set()).add(sighting.value)
    theirs = {path for path, models in named.items() if model in models}
    others = {path for path, models in named.items() if model not in models}
    return frozenset(path for path in (used | theirs) - others if path)


def tokens_in(text: object) -> int | None:
    """A number of tokens as a file declares it; None for anything else."""
    digits = text.strip().replace("_", "") if isinstance(text, str) else ""
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 12):
        return None
    return int(digits) or None
