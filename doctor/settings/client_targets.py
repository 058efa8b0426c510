"""The targets of the clients that are used here, and what they leave of the SDKs' own targets.

A variable of the shell that a client reads makes a target of that client, not a second one of the
SDK that has it under the same name; and a key whose address a client's file says is not tried at
the SDK's default address.
"""

from __future__ import annotations

from typing import Any

from doctor.clients.catalogue import CLIENTS
from doctor.clients.configured import configured, shows
from doctor.clients.machine import Machine
from doctor.connection import Connection, Origin, OriginKind, Setting
from doctor.settings.building import ANTHROPIC_SDK, OPENAI_SDK
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found
from doctor.settings.sdk_targets import ANTHROPIC_BASES, OPENAI_BASES

_SDKS = (OPENAI_SDK, ANTHROPIC_SDK)
_OWN_BASES = (OPENAI_BASES[0], ANTHROPIC_BASES[0])


def client_targets(machine: Machine, others: list[Candidate]) -> Found:
    """What the clients' own files say. ``others`` loses the targets that a client stands for."""
    if not any(entry.signs and shows(entry, machine) for entry in CLIENTS.values()):
        return Found()
    found = configured(machine)
    taken = set[Origin]()
    for candidate in found.candidates:
        taken |= origins_of(candidate.connection)
    others[:] = [candidate for candidate in others if not _stands_for(taken, candidate)]
    return found


def _stands_for(taken: set[Origin], candidate: Candidate) -> bool:
    """Whether all that makes ``candidate`` is a client's, or its address is a mere default."""
    connection = candidate.connection
    if connection.client not in _SDKS or candidate.named:
        return False
    key, base = connection.key, connection.base_url.origin
    if key is None:
        return base in taken
    if key.origin not in taken:
        return False
    if base in taken and base.name not in _OWN_BASES:
        return True  # the SDK itself would not read this name
    if base.path is not None:
        return False
    return base in taken or base.kind in (OriginKind.DEFAULT, OriginKind.PROVIDER)


def origins_of(connection: Connection) -> set[Origin]:
    """The places of the base URL and the keys of ``connection``, in effect or shadowed."""
    settings: tuple[Setting[Any] | None, ...] = (
        connection.base_url,
        connection.key,
        connection.second_key,
    )
    found = set[Origin]()
    for setting in settings:
        if setting is not None:
            found.add(setting.origin)
            found.update(shadow.origin for shadow in setting.shadows)
    return {origin for origin in found if origin.kind is not OriginKind.DEFAULT}
