"""Roo Code. Its settings lie encrypted in the editor's secret storage, so only the way in which it
makes a request is known (facts/gateway-clients.md §3.6; from its source, not run)."""

from __future__ import annotations

from doctor.clients import ai_sdk
from doctor.clients.base import ClientProfile
from doctor.clients.machine import Machine
from doctor.clients.unreadable import say_the_address
from doctor.connection import Protocol
from doctor.settings.found import Found
from doctor.text import _

PROFILE = ClientProfile(
    id="roo-code",
    label="Roo Code",
    stack="node-fetch",
    paths={Protocol.OPENAI_CHAT: "/chat/completions"},
    models_path="/models",
    base_has_version=True,
    join=ai_sdk.join,
    prepare_key=ai_sdk.prepare_key,
    default_base="https://api.openai.com/v1",
)


def find(machine: Machine, *, always: bool) -> Found:
    """Nothing of its own accord. Raises ``ConfigError`` for a user who named it alone."""
    if always:
        raise say_the_address(PROFILE.label, _("the editor's secret storage"), PROFILE.id)
    return Found()
