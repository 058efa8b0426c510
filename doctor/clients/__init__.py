"""The client programs that kvdoctor knows, one module each."""

from __future__ import annotations

from doctor.clients.base import ClientProfile, ClientRefusal
from doctor.clients.catalogue import CLIENTS, ids, speaking


def profile(client: str) -> ClientProfile:
    """By id. Raises ``KeyError``."""
    from importlib import import_module

    found: ClientProfile = import_module(f"doctor.clients.{CLIENTS[client].module}").PROFILE
    return found


__all__ = ["CLIENTS", "ClientProfile", "ClientRefusal", "ids", "profile", "speaking"]
