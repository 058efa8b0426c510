"""Clients whose settings no editor reaches: what to type into their own pages.

Facts: facts/gateway-clients.md §§3.0, 3.6, 3.11, 3.12.
"""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.setup.model import Block, Gateway, export
from doctor.text import Text, _

_FIELDS: dict[str, tuple[str, str]] = {
    # client: what to choose, and the field of the address
    "roo-code": ("API Provider: OpenAI Compatible", "Base URL"),
    "cherry-studio": ("Provider type: OpenAI", "API Host"),
    "chatbox": ("Model Provider: OpenAI API Compatible", "API Host"),
    "dify": ("Model provider: OpenAI-API-compatible", "API endpoint URL"),
}


def block(gateway: Gateway, machine: Machine) -> Block:
    if gateway.client == "open-webui":
        return Block(
            (),
            (
                f"OPENAI_API_BASE_URL={gateway.base_url}",
                export(machine, "OPENAI_API_KEY", gateway.key_variable),
            ),
            (
                _(
                    "These count for its first start. Later ones are set in Admin Panel, Settings, "
                    "Connections: its database wins."
                ),
            ),
        )
    choice, field = _FIELDS[gateway.client]
    lines: list[str] = [choice, f"{field}: {gateway.base_url}", _key(gateway)]
    if gateway.model is not None:
        lines.append(_("Model: {model}", model=gateway.model))
    note = _("Its settings are not in a plain file, so they are set in its own pages.")
    return Block((), tuple(lines), (note,))


def _key(gateway: Gateway) -> Text:
    if gateway.key_variable is None:
        return _("API Key: any word")
    return _("API Key: what {name} holds", name=gateway.key_variable)
