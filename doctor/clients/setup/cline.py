"""Cline: its providers.json without a key, which then comes from ``OPENAI_API_KEY``; with /v1.

The file itself would hold the key in plain text and takes no variable's name
(facts/gateway-clients.md §3.5; the fallback and what an entry must have: ``doctor.clients.cline``).
"""

from __future__ import annotations

import datetime

from doctor.clients.machine import Machine
from doctor.clients.setup.model import Block, Gateway, export, shown
from doctor.models import FileEntry
from doctor.text import _

_PROVIDER = "openai-compatible"


def block(gateway: Gateway, machine: Machine) -> Block:
    line = export(machine, "OPENAI_API_KEY", gateway.key_variable)
    if gateway.model is None:
        return Block((), (line,), (_("Cline needs a model: name it with --model ID."),))
    home = machine.folder("CLINE_DIR", machine.home / ".cline")
    data = machine.folder("CLINE_DATA_DIR", home / "data")
    path = shown(
        machine.folder("CLINE_PROVIDER_SETTINGS_PATH", data / "settings" / "providers.json"),
        machine,
    )
    at = ("providers", _PROVIDER)
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    entries = (
        FileEntry(path, ("version",), 1),
        FileEntry(path, ("lastUsedProvider",), _PROVIDER),
        FileEntry(path, (*at, "settings", "provider"), _PROVIDER),
        FileEntry(path, (*at, "settings", "model"), gateway.model),
        FileEntry(path, (*at, "settings", "baseUrl"), gateway.base_url),
        FileEntry(path, (*at, "updatedAt"), now),
        FileEntry(path, (*at, "tokenSource"), "manual"),
    )
    note = _("In VS Code the key is typed into Cline's own page: that has no variables of a shell.")
    return Block(entries, (line,), (note,))
