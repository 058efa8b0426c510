"""Codex: a table of its own in config.toml, with /v1 and the name of the key's variable.

Facts: facts/gateway-clients.md §3.2.
"""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.setup.model import Block, Gateway, shown
from doctor.connection import Connection, SettingName
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    path = _config(machine)
    table = ("model_providers", gateway.id)
    entries = []
    notes: list[str] = []
    if gateway.model is not None:
        entries.append(FileEntry(path, ("model",), gateway.model))
    else:
        notes.append(_("With --model ID the model is written as well."))
    entries += [
        FileEntry(path, ("model_provider",), gateway.id),
        FileEntry(path, (*table, "name"), gateway.label),
        FileEntry(path, (*table, "base_url"), gateway.base_url),
    ]
    if gateway.key_variable is not None:
        entries.append(FileEntry(path, (*table, "env_key"), gateway.key_variable))
    entries.append(FileEntry(path, (*table, "wire_api"), "responses"))
    if gateway.window is not None:
        entries.append(FileEntry(path, ("model_context_window",), gateway.window))
    notes.append(
        _(
            "Codex speaks the Responses API alone: the server has to answer {url}.",
            url=f"{gateway.base_url}/responses",
        )
    )
    return Block(tuple(entries), (), tuple(notes))


def where(name: SettingName, connection: Connection, machine: Machine) -> FileEntry | None:
    """The model stands at the top of config.toml; Codex sends no output budget."""
    return FileEntry(_config(machine), ("model",), "") if name is SettingName.MODEL else None


def _config(machine: Machine) -> str:
    folder = machine.folder("CODEX_HOME", machine.home / ".codex")
    return shown(folder / "config.toml", machine)
