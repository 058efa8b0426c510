"""LangChain's client of OpenAI's API (langchain-openai). Facts: facts/gateway-clients.md §2.2."""

from __future__ import annotations

from doctor.clients.machine import Machine
from doctor.clients.python_apps import OWN, SDK, find_for, profile_of
from doctor.settings.found import Found

ID = "langchain"

PROFILE = profile_of(ID, "LangChain")


def find(machine: Machine, *, always: bool) -> Found:
    """Its target where it is named, or where its base differs from the SDK's."""
    return find_for(ID, machine, always=always, names=(OWN, SDK), package="langchain-openai")
