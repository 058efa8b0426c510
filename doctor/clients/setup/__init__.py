"""What has to stand where, so that a client uses a gateway: one module per client.

A module offers ``block(gateway: Gateway, machine: Machine) -> Block``: the entries of its files,
with the base URL in the form that this client wants and the key by the name of its variable, and
lines for what no file takes. It may offer ``where(name, connection, machine) -> FileEntry | None``
as well: the entry for a setting that no source holds yet (an output budget, above all); and
``listed(model, connection, machine)``: the entries that a model needs to be known to it.
"""

from __future__ import annotations

from importlib import import_module

from doctor.clients.machine import Machine
from doctor.clients.setup.model import Block, Gateway
from doctor.connection import Connection, SettingName
from doctor.models import FileEntry

_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "opencode": "opencode",
    "cline": "cline",
    "qwen-code": "qwen_code",
    "gemini-cli": "gemini_cli",
    "aider": "aider",
    "litellm-proxy": "litellm_proxy",
    "continue": "continue_dev",
    "claude-code-router": "claude_code_router",
    "roo-code": "by_hand",
    "cherry-studio": "by_hand",
    "chatbox": "by_hand",
    "dify": "by_hand",
    "open-webui": "by_hand",
}


def known(client: str) -> bool:
    """Whether it is known how that client is set up."""
    return client in _MODULES


def block_for(client: str, gateway: Gateway, machine: Machine) -> Block:
    """What makes ``client`` use ``gateway``. Raises ``KeyError`` for a client that is not known."""
    module = import_module(f"doctor.clients.setup.{_MODULES[client]}")
    found: Block = module.block(gateway, machine)
    return found


def place_of(
    client: str, name: SettingName, connection: Connection, machine: Machine
) -> FileEntry | None:
    """Where that client would take ``name`` from; ``new`` of the entry is not the value yet.

    None where no file of its own takes it, or that is not known.
    """
    if client not in _MODULES:
        return None
    module = import_module(f"doctor.clients.setup.{_MODULES[client]}")
    where = getattr(module, "where", None)
    found: FileEntry | None = None if where is None else where(name, connection, machine)
    return found


def beside(
    client: str, model: str, connection: Connection, machine: Machine
) -> tuple[FileEntry, ...]:
    """The entries that a client needs beside its new model: those that keep a list of models."""
    if client not in _MODULES:
        return ()
    module = import_module(f"doctor.clients.setup.{_MODULES[client]}")
    listed = getattr(module, "listed", None)
    found: tuple[FileEntry, ...] = () if listed is None else listed(model, connection, machine)
    return found


__all__ = ["Block", "Gateway", "beside", "block_for", "known", "place_of"]
