"""Aider: ~/.aider.conf.yml, with /v1 and ``openai/`` ahead of the model.

Facts: facts/gateway-clients.md §3.9.
"""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.setup.model import Block, Gateway, export, shown
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    path = shown(machine.home / ".aider.conf.yml", machine)
    entries = [FileEntry(path, ("openai-api-base",), gateway.base_url)]
    notes: list[str] = []
    if gateway.model is not None:
        entries.append(FileEntry(path, ("model",), f"openai/{gateway.model}"))
    else:
        notes.append(_("With --model ID the model is written as well."))
    line = export(machine, "OPENAI_API_KEY", gateway.key_variable)
    return Block(tuple(entries), (line,), tuple(notes))
