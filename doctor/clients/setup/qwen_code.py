"""Qwen Code: a provider of models in ~/.qwen/settings.json, with /v1 and the key's variable.

Facts: facts/gateway-clients.md §3.12.
"""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.setup.model import ANY_KEY, Block, Gateway, export, shown
from doctor.connection import Connection, OriginKind, SettingName
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    path = shown(machine.home / ".qwen" / "settings.json", machine)
    selected = FileEntry(path, ("security", "auth", "selectedType"), "openai")
    if gateway.model is None:
        return Block(
            (selected, FileEntry(path, ("env", "OPENAI_BASE_URL"), gateway.base_url)),
            (export(machine, "OPENAI_API_KEY", gateway.key_variable),),
            (_("With --model ID the model is written as well."),),
        )
    item = ("modelProviders", "openai", "+")
    variable = gateway.key_variable or "OPENAI_API_KEY"
    entries = [
        selected,
        FileEntry(path, (*item, "id"), gateway.model),
        FileEntry(path, (*item, "name"), gateway.model),
        FileEntry(path, (*item, "envKey"), variable),
        FileEntry(path, (*item, "baseUrl"), gateway.base_url),
        FileEntry(path, ("model", "name"), gateway.model),
    ]
    if gateway.max_tokens is not None:
        keys = (*item, "generationConfig", "samplingParams", "max_tokens")
        entries.insert(5, FileEntry(path, keys, gateway.max_tokens))
    if gateway.key_variable is None:
        entries.append(FileEntry(path, ("env", variable), ANY_KEY))
    return Block(tuple(entries))


def where(name: SettingName, connection: Connection, machine: Machine) -> FileEntry | None:
    """The output budget: with the entry of ``modelProviders`` that is in effect, else with the
    model of the user's settings."""
    if name is not SettingName.MAX_TOKENS:
        return None
    budget = ("generationConfig", "samplingParams", "max_tokens")
    base = connection.base_url.origin
    parts = base.name.split(".")
    if base.kind is OriginKind.FILE and base.path is not None and parts[0] == "modelProviders":
        keys = tuple(int(part) if part.isdecimal() else part for part in parts[:-1])
        return FileEntry(base.path, (*keys, *budget), 0)
    path = shown(machine.home / ".qwen" / "settings.json", machine)
    return FileEntry(path, ("model", *budget), 0)
