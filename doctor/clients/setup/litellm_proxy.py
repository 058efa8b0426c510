"""LiteLLM's proxy: one route of config.yaml, with /v1 and ``os.environ/NAME`` for the key.

Facts: facts/gateway-clients.md §3.10.
"""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.setup.model import ANY_KEY, Block, Gateway, shown
from doctor.models import FileEntry
from doctor.text import _


def block(gateway: Gateway, machine: Machine) -> Block:
    if gateway.model is None:
        return Block(notes=(_("A route is made for one model: name it with --model ID."),))
    path = shown(machine.cwd / "config.yaml", machine)
    item = ("model_list", "+")
    key = ANY_KEY if gateway.key_variable is None else f"os.environ/{gateway.key_variable}"
    entries = [
        FileEntry(path, (*item, "model_name"), gateway.model),
        FileEntry(path, (*item, "litellm_params", "model"), f"openai/{gateway.model}"),
        FileEntry(path, (*item, "litellm_params", "api_base"), gateway.base_url),
        FileEntry(path, (*item, "litellm_params", "api_key"), key),
    ]
    return Block(tuple(entries), ("litellm --config config.yaml",))
