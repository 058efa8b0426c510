"""Gemini CLI: ~/.gemini/.env, with a base that has no version; for servers that speak its API.

Facts: facts/gateway-clients.md §3.12.
"""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.setup.model import Block, Gateway, export, shown
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    env_file = shown(machine.home / ".gemini" / ".env", machine)
    settings = shown(machine.home / ".gemini" / "settings.json", machine)
    entries = [
        FileEntry(env_file, ("GOOGLE_GEMINI_BASE_URL",), gateway.base_url),
        FileEntry(settings, ("security", "auth", "selectedType"), "gemini-api-key"),
    ]
    if gateway.model is not None:
        entries.insert(1, FileEntry(env_file, ("GEMINI_MODEL",), gateway.model))
    notes = [_("Gemini CLI speaks Gemini's own API alone, which many gateways do not serve.")]
    line = export(machine, "GEMINI_API_KEY", gateway.key_variable)
    return Block(tuple(entries), (line,), tuple(notes))
