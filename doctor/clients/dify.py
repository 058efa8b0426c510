"""Dify with its provider "OpenAI-API-compatible". The settings lie encrypted in its database
(facts/gateway-clients.md §3.12; from documentation, not run)."""

from __future__ import annotations

from doctor.clients.base import ClientProfile
from doctor.clients.httpx_join import join
from doctor.clients.machine import Machine
from doctor.clients.unreadable import say_the_address
from doctor.connection import Protocol
from doctor.settings.found import Found
from doctor.text import _

PROFILE = ClientProfile(
    id="dify",
    label="Dify",
    stack="requests",
    paths={Protocol.OPENAI_CHAT: "/chat/completions"},
    models_path="/models",
    base_has_version=True,
    join=join,
    default_base="https://api.openai.com/v1",
)


def find(machine: Machine, *, always: bool) -> Found:
    """Nothing of its own accord. Raises ``ConfigError`` for a user who named it alone."""
    if always:
        raise say_the_address(PROFILE.label, _("its own database"), PROFILE.id)
    return Found()
