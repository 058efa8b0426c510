"""claude-code-router up to version 2: config.json, with the whole address of chat completions.

Facts: facts/gateway-clients.md §3.4.
"""

from __future__ import annotations

import os

from doctor.clients.machine import Machine
from doctor.clients.setup.model import ANY_KEY, Block, Gateway, shown
from doctor.connection import Connection
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    folder = machine.home / ".claude-code-router"
    if os.path.exists(folder / "config.sqlite"):
        return Block(
            notes=(_("Version 3 keeps its providers in a database: add one in its own page."),)
        )
    if gateway.model is None:
        return Block(notes=(_("A route is made for one model: name it with --model ID."),))
    path = shown(folder / "config.json", machine)
    item = ("Providers", "+")
    key = ANY_KEY if gateway.key_variable is None else f"${gateway.key_variable}"
    entries = (
        FileEntry(path, (*item, "name"), gateway.id),
        FileEntry(path, (*item, "api_base_url"), gateway.base_url),
        FileEntry(path, (*item, "api_key"), key),
        FileEntry(path, (*item, "models", "+"), gateway.model),
        FileEntry(path, ("Router", "default"), f"{gateway.id},{gateway.model}"),
    )
    return Block(entries, ("ccr restart",))


def listed(model: str, connection: Connection, machine: Machine) -> tuple[FileEntry, ...]:
    """The router sends on what stands among the models of the provider."""
    base = connection.base_url.origin
    parts = base.name.split(".")
    if base.path is None or parts[0] != "Providers" or len(parts) != 3:
        return ()
    index = int(parts[1]) if parts[1].isdecimal() else 0
    return (FileEntry(base.path, ("Providers", index, "models", "+"), model),)
