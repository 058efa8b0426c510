"""Continue: one model of ~/.continue/config.yaml, with /v1 and a secret by its name.

Facts: facts/gateway-clients.md §3.7.
"""

from __future__ import annotations

import os

from doctor.clients.machine import Machine
from doctor.clients.setup.model import ANY_KEY, Block, Gateway, shown
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    if gateway.model is None:
        return Block(notes=(_("Continue needs a model: name it with --model ID."),))
    folder = machine.folder("CONTINUE_GLOBAL_DIR", machine.home / ".continue")
    path = shown(folder / "config.yaml", machine)
    item = ("models", "+")
    secret = f"${{{{ secrets.{gateway.key_variable} }}}}"
    key = ANY_KEY if gateway.key_variable is None else secret
    entries = [
        FileEntry(path, (*item, "name"), f"{gateway.model} ({gateway.label})"),
        FileEntry(path, (*item, "provider"), "openai"),
        FileEntry(path, (*item, "model"), gateway.model),
        FileEntry(path, (*item, "apiBase"), gateway.base_url),
        FileEntry(path, (*item, "apiKey"), key),
        FileEntry(path, (*item, "roles", "+"), "chat"),
    ]
    if gateway.window is not None:
        entries.append(FileEntry(path, (*item, "contextLength"), gateway.window))
    if not os.path.isfile(folder / "config.yaml"):
        head = (("name", "Local"), ("version", "1.0.0"), ("schema", "v1"))
        entries = [*(FileEntry(path, (name,), value) for name, value in head), *entries]
    notes: list[str] = []
    if gateway.key_variable is not None:
        notes.append(
            _(
                "Continue looks for {name} in ~/.continue/.env, then in its own environment.",
                name=gateway.key_variable,
            )
        )
    return Block(tuple(entries), (), tuple(notes))
