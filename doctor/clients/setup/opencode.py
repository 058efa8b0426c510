"""opencode: a provider in opencode.json, with /v1 and ``{env:NAME}`` for the key.

Facts: facts/gateway-clients.md §3.8.
"""

from __future__ import annotations

import os

from doctor.clients.machine import Machine
from doctor.clients.setup.model import ANY_KEY, Block, Gateway, shown
from doctor.connection import Connection, OriginKind, Protocol, SettingName
from doctor.models import FileEntry
from doctor.text import _

_ANSWER = 8_192  # tokens, where nothing says how long an answer may be


def block(gateway: Gateway, machine: Machine) -> Block:
    path = _config(machine)
    at = ("provider", gateway.id)
    key = ANY_KEY if gateway.key_variable is None else f"{{env:{gateway.key_variable}}}"
    entries = [
        FileEntry(path, ("$schema",), "https://opencode.ai/config.json"),
        FileEntry(path, (*at, "npm"), "@ai-sdk/openai-compatible"),
        FileEntry(path, (*at, "name"), gateway.label),
        FileEntry(path, (*at, "options", "baseURL"), gateway.base_url),
        FileEntry(path, (*at, "options", "apiKey"), key),
    ]
    notes: list[str] = []
    if gateway.model is None:
        notes.append(
            _("opencode lists only the models that it is told of: --model ID writes one as well.")
        )
    else:
        model = (*at, "models", gateway.model)
        entries.append(FileEntry(path, (*model, "name"), gateway.model))
        if gateway.window is not None:
            answer = gateway.max_tokens or _ANSWER
            entries.append(FileEntry(path, (*model, "limit", "context"), gateway.window))
            entries.append(FileEntry(path, (*model, "limit", "output"), answer))
        entries.append(FileEntry(path, ("model",), f"{gateway.id}/{gateway.model}"))
    return Block(tuple(entries), (), tuple(notes))


def where(name: SettingName, connection: Connection, machine: Machine) -> FileEntry | None:
    """The output budget of the model, below the provider of the base URL: ``limit.output`` where
    the model has limits (opencode wants both of them or none), else the parameter itself, which
    OpenAI-compatible providers pass on."""
    base, model = connection.base_url.origin, connection.model
    end = ".options.baseURL"
    of_provider = base.kind is OriginKind.FILE and base.path is not None
    if name is not SettingName.MAX_TOKENS or model is None or not of_provider:
        return None
    if not (base.name.startswith("provider.") and base.name.endswith(end)):
        return None
    provider = base.name.removeprefix("provider.").removesuffix(end)
    path = base.path or ""
    at = ("provider", provider, "models", model.value)
    if _has_window(path, at, machine):
        return FileEntry(path, (*at, "limit", "output"), 0)
    if connection.protocol is not Protocol.OPENAI_CHAT:
        return None
    return FileEntry(path, (*at, "options", "max_tokens"), 0)


def listed(model: str, connection: Connection, machine: Machine) -> tuple[FileEntry, ...]:
    """opencode knows those models alone that stand below their provider."""
    base = connection.base_url.origin
    end = ".options.baseURL"
    if base.path is None or not (base.name.startswith("provider.") and base.name.endswith(end)):
        return ()
    provider = base.name.removeprefix("provider.").removesuffix(end)
    return (FileEntry(base.path, ("provider", provider, "models", model, "name"), model),)


def _has_window(path: str, at: tuple[str, ...], machine: Machine) -> bool:
    from doctor.clients.files import Files
    from doctor.settings.found import Found

    real = machine.home / path[2:] if path.startswith("~") else machine.cwd / path
    file = Files(machine, "opencode", Found()).json(real)
    return file is not None and file.number(*at, "limit", "context") is not None


def _config(machine: Machine) -> str:
    folder = machine.config / "opencode"
    names = ("opencode.jsonc", "opencode.json", "config.json")
    there = next((folder / name for name in names if os.path.isfile(folder / name)), None)
    return shown(there or folder / "opencode.json", machine)
