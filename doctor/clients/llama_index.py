"""LlamaIndex's client of OpenAI's API. Facts: facts/gateway-clients.md §2.2."""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.python_apps import OWN, SDK, find_for, profile_of
from doctor.settings.found import Found

ID = "llama-index"

PROFILE = profile_of(ID, "LlamaIndex")


def find(machine: Machine, *, always: bool) -> Found:
    """Its target where it is named, or where its base differs from the SDK's."""
    return find_for(ID, machine, always=always, names=(OWN, SDK), package="llama-index-llms-openai")
